import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { exists, writeFileAtomic } from '../../core/files.ts';
import { FIRST_BOOT_RETRY } from '../../core/retry.ts';
import { toYaml } from '../../core/yaml.ts';
import type { Host } from '../../host/host.ts';
import { openSshHost } from '../../host/ssh-host.ts';
import type { BastionLogin, Claim, InstallRun, OpenPlatform, SiteResource } from '../platform.ts';
import { CLUSTER_KIND, destroyCluster } from '../shared/destroy-cluster.ts';
import { givenBastion } from '../shared/given-bastion.ts';
import { clusterFolder, EXTRA_MANIFESTS, installer } from '../shared/installer.ts';
import { verifyInstalled } from '../shared/verify-installed.ts';
import { type MadeBastion, makeBastion } from './bastion/make-bastion.ts';
import { type Aws, connectAws } from './client/aws.ts';
import { cloudLogin, usualKeys } from './client/credentials.ts';
import type { AwsKeys } from './client/sign.ts';
import { appsName, withAppsRecord } from './cluster/apps-record.ts';
import { isManual, makeUsers, writeKeys } from './cluster/manual-credentials.ts';
import { type AwsSite, madeNetwork, makeNetwork, regional } from './network.ts';
import { planAws } from './plan.ts';
import { awsPreflight } from './preflight/preflight.ts';
import { PROOF_POLLS } from './remove/leftovers.ts';
import { removeResource } from './remove/remove-resource.ts';

/** What the platform reaches the world by; tests bring their own. */
export interface AwsWorld {
  readonly connect: (region: string) => Aws;
  readonly keys: (region: string) => Promise<AwsKeys>;
  /** A bastion that was made, once it answers. */
  readonly login: (ctx: Context, made: MadeBastion, as: BastionLogin) => Promise<Host>;
  /** How often it is looked, at the end, whether anything is left. */
  readonly proofPolls: number;
}

export function openAws(site: AwsSite, world: AwsWorld): OpenPlatform {
  const { region } = site.settings;
  const clients = new Map<string, Aws>();
  const awsIn = (name: string): Aws => {
    const aws = clients.get(name) ?? world.connect(name);
    clients.set(name, aws);
    return aws;
  };
  const aws = () => awsIn(region);
  const given = givenBastion(site.bastion);
  let reached: Promise<Host> | undefined;
  const reach = async (ctx: Context, claim: Claim): Promise<Host> => {
    if (site.bastion.address !== undefined) return await given.host(ctx);
    const made = await makeBastion(ctx, aws(), site, claim);
    const host = await world.login(ctx, made, site.bastion);
    await made.booted();
    return host;
  };
  const bastion = (ctx: Context, claim: Claim) => {
    reached ??= reach(ctx, claim).catch((error: unknown) => {
      reached = undefined;
      throw error;
    });
    return reached;
  };
  const install = installer(site, {
    host: (ctx) => bastion(ctx, async () => undefined),
    machines: 'made',
  });
  const proof = verifyInstalled(site);
  const makes = madeWithCluster(site);
  return {
    installs: install.installs,
    makes,
    cloudLogin: async () => cloudLogin(region, await world.keys(region)),
    plan: () => planAws(site, { bastion: given.plan, cluster: install.plan, verify: proof.plan }),
    preflight: async (ctx) => [
      ...(await awsPreflight(ctx, aws(), site)),
      ...(site.bastion.address === undefined ? [] : await given.checks(ctx)),
    ],
    async provision(ctx, claim) {
      // Claimed first, so removed last: then it is looked whether anything is left.
      await claim({ kind: 'aws-site', id: regional(region, site.name), temporary: false });
      await makeNetwork(ctx, aws(), site, claim);
      if (isManual(site)) await makeUsers(ctx, aws(), site, claim);
    },
    bastion,
    boot: async (ctx, run) => {
      for (const resource of makes) await run.claim(resource);
      await prepare(ctx, aws(), site);
      return await withApps(ctx, aws(), site, () => install.boot(ctx, run));
    },
    watch: (ctx, run: InstallRun) => withApps(ctx, aws(), site, () => install.watch(ctx, run)),
    verify: proof.verify,
    remove: async (ctx, resource) => {
      if (resource.kind === CLUSTER_KIND) return await destroyCluster(ctx, site);
      const { proofPolls } = world;
      return await removeResource(ctx, { site, regions: awsIn, proofPolls }, resource);
    },
    async close() {
      await (await reached?.catch(() => undefined))?.close();
      await given.close();
      for (const client of clients.values()) client.close();
    },
  };
}

/** The cluster itself comes last, so it is destroyed first; what it leaves in a zone that is not ours is removed by name. */
function madeWithCluster(site: AwsSite): readonly SiteResource[] {
  const { settings, domain, disconnected } = site;
  const record = regional(settings.region, `${settings.hostedZone}/${appsName(domain)}`);
  return [
    ...(settings.hostedZone && disconnected
      ? [{ kind: 'route53-record', id: record, temporary: false }]
      : []),
    { kind: CLUSTER_KIND, id: clusterFolder(site.paths), temporary: false },
  ];
}

/** Only a cluster that can reach Route 53 writes its names itself. */
async function withApps<T>(
  ctx: Context,
  aws: Aws,
  site: AwsSite,
  task: () => Promise<T>,
): Promise<T> {
  const { HostedZoneId: zone, VpcId: vpc } = await madeNetwork(site);
  if (!site.disconnected || !zone || !vpc) return await task();
  return await withAppsRecord(ctx, aws, { zone, vpc, domain: site.domain }, task);
}

/** Gives the installer what only this platform knows; a cluster that was begun keeps what it has. */
async function prepare(ctx: Context, aws: Aws, site: AwsSite): Promise<void> {
  if (await exists(join(clusterFolder(site.paths), 'metadata.json'))) return;
  if (isManual(site)) await writeKeys(ctx, aws, site);
  if (site.disconnected) await withoutZones(site);
}

/** A DNS configuration that names no zones: the ingress operator would try to write to them, and fail for ever. */
async function withoutZones({ paths, domain }: AwsSite): Promise<void> {
  const path = join(paths.install, EXTRA_MANIFESTS, 'manifests', 'cluster-dns-02-config.yml');
  const config = {
    apiVersion: 'config.openshift.io/v1',
    kind: 'DNS',
    metadata: { name: 'cluster' },
    spec: { baseDomain: domain },
  };
  await writeFileAtomic(path, toYaml(config));
}

/** The world as it is. */
export const AWS_WORLD: AwsWorld = {
  connect: (region) => connectAws({ region }),
  keys: (region) => usualKeys(region)(true),
  login: (ctx, { address, pin }, { user, port, jump, privateKey: identity }) =>
    openSshHost(ctx, { address, user, port, jump, identity, pin }, FIRST_BOOT_RETRY),
  proofPolls: PROOF_POLLS,
};
