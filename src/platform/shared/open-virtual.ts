import { join } from 'node:path';
import type { KubeObject } from '../../cluster/api/object.ts';
import type { Context } from '../../core/context.ts';
import { exists } from '../../core/files.ts';
import type { Host } from '../../host/host.ts';
import type {
  Claim,
  OpenPlatform,
  PlatformSite,
  PreflightCheck,
  SiteResource,
} from '../platform.ts';
import { CLUSTER_KIND, destroyCluster } from './destroy-cluster.ts';
import { givenBastion } from './given-bastion.ts';
import { clusterFolder, installer } from './installer.ts';
import { verifyInstalled } from './verify-installed.ts';
import { reachMade, type VirtualMachine, type VirtualWorld } from './virtual-bastion.ts';

/** What differs between platforms whose network is there, and whose machines are virtual. */
interface VirtualPlatform {
  readonly plan: Readonly<Record<'infrastructure' | 'bastion', readonly string[]>>;
  readonly preflight: (ctx: Context) => Promise<readonly PreflightCheck[]>;
  readonly provision?: ((ctx: Context, claim: Claim) => Promise<void>) | undefined;
  readonly bastion: VirtualMachine;
  /** Gives the installer what only the platform knows; a cluster that was begun keeps what it has. */
  readonly beforeBoot?: ((ctx: Context) => Promise<void>) | undefined;
  /** What a cluster there needs besides what every cluster does. */
  readonly objects?: readonly KubeObject[] | undefined;
  readonly planObjects?: readonly string[] | undefined;
  readonly remove: (ctx: Context, resource: SiteResource) => Promise<boolean>;
  readonly close: () => void;
}

/** The installer makes the machines of the cluster; the bastion is made here, unless it is given. */
export function openVirtual(
  site: PlatformSite,
  own: VirtualPlatform,
  world: VirtualWorld,
): OpenPlatform {
  const given = givenBastion(site.bastion);
  const isGiven = site.bastion.address !== undefined;
  let reached: Promise<Host> | undefined;
  const bastion = (ctx: Context, claim: Claim): Promise<Host> => {
    if (isGiven) return given.host(ctx);
    reached ??= reachMade(ctx, site, own.bastion, world, claim).catch((error: unknown) => {
      reached = undefined;
      throw error;
    });
    return reached;
  };
  const host = (ctx: Context) => bastion(ctx, async () => undefined);
  const install = installer(site, { host, machines: 'made' });
  const proof = verifyInstalled(site);
  const { objects = [], planObjects = [] } = own;
  const makes = [{ kind: CLUSTER_KIND, id: clusterFolder(site.paths), temporary: false }];
  return {
    installs: install.installs,
    makes,
    plan: () => ({
      infrastructure: own.plan.infrastructure,
      bastion: isGiven ? given.plan : own.plan.bastion,
      cluster: install.plan,
      verify: [...planObjects, ...proof.plan],
    }),
    preflight: async (ctx) => [
      ...(await own.preflight(ctx)),
      ...(isGiven ? await given.checks(ctx) : []),
    ],
    provision: async (ctx, claim) => own.provision?.(ctx, claim),
    bastion,
    async boot(ctx, run) {
      for (const resource of makes) await run.claim(resource);
      if (!(await exists(join(clusterFolder(site.paths), 'metadata.json'))))
        await own.beforeBoot?.(ctx);
      return await install.boot(ctx, run);
    },
    watch: install.watch,
    verify: (ctx, run) =>
      proof.verify(ctx, {
        ...run,
        wanted: async () => {
          const wanted = await run.wanted();
          return { ...wanted, objects: [...wanted.objects, ...objects] };
        },
      }),
    remove: async (ctx, resource) =>
      resource.kind === CLUSTER_KIND
        ? await destroyCluster(ctx, site)
        : await own.remove(ctx, resource),
    async close() {
      await (await reached?.catch(() => undefined))?.close();
      reached = undefined;
      await given.close();
      own.close();
    },
  };
}
