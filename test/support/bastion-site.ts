import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { silentContext } from '../../src/core/context.ts';
import { copyImage } from './copy-image.ts';
import { freePort } from './docker-registry.ts';
import { startEmbeddedRegistry } from './embedded-registry.ts';
import { MemoryImages } from './images.ts';
import { openRepository } from './remote.ts';
import { siteFolder } from './site.ts';
import { startSlowProxy } from './slow-proxy.ts';
import type { Sshd } from './sshd.ts';
import { tempDir } from './temp.ts';

const ctx = silentContext();

export interface BastionSite {
  readonly folder: string;
  readonly site: string;
  /** What the site has on its bastion. */
  readonly there: string;
  readonly mirrorPort: number;
}

interface BastionSiteOptions {
  /** Port of sshd, or of a line to it. */
  readonly port?: number;
  readonly change?: Readonly<Record<string, object>>;
  /** How fast upstream is; as fast as it can unless told. */
  readonly bytesPerSecond?: number;
  /** Of this machine as its bastion sees it, where the bastion is another. */
  readonly address?: string;
  /** A platform that makes the bastion, instead of none; files that its settings name. */
  readonly platform?: object;
  readonly files?: Readonly<Record<string, string>>;
}

/** How to log in to a bastion. */
type BastionDoor = Pick<Sshd, 'port' | 'user' | 'identity' | 'hostKeys'>;

/** A site of platform none whose bastion is reached over SSH, with an upstream that has one image. */
export async function bastionSite(
  sshd: BastionDoor,
  {
    port = sshd.port,
    change = {},
    bytesPerSecond,
    address,
    platform,
    files,
  }: BastionSiteOptions = {},
): Promise<BastionSite> {
  const upstream = await upstreamWithImage();
  const slow = bytesPerSecond
    ? await startSlowProxy(`http://${upstream}`, bytesPerSecond)
    : undefined;
  if (slow) onTestFinished(slow.stop);
  const at = slow?.host ?? upstream;
  const host = address === undefined ? at : at.replace(/^[^:]*/, address);
  const there = address === undefined ? `${await tempDir()}/site` : '/var/lib/atoll/north';
  const mirrorPort = address === undefined ? await freePort() : 5000;
  const { folder, site } = await siteFolder(
    {
      ...change,
      ...(platform ? { platform } : {}),
      bastion: {
        ...{ port, user: sshd.user, privateKey: sshd.identity, directory: there },
        ...(platform
          ? { sshKey: `${sshd.identity}.pub` }
          : { address: '127.0.0.1', hostKeys: sshd.hostKeys }),
      },
      registry: { host: 'localhost', port: mirrorPort, ...change.registry },
      mirror: { imageSet: 'set.yaml', registriesConf: 'registries.conf' },
      // The release of the fixture has no programs in it.
      steps: { skip: ['tools'] },
    },
    {
      'set.yaml': `kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  additionalImages:\n  - name: ${host}/up/one:v1\n`,
      'registries.conf': `[[registry]]\nlocation = "${host}"\ninsecure = true\n`,
      ...files,
    },
  );
  return { folder, site, there, mirrorPort };
}

async function upstreamWithImage(): Promise<string> {
  const registry = await startEmbeddedRegistry();
  onTestFinished(() => registry.stop());
  const images = new MemoryImages();
  // What does not compress takes its time on a slow line.
  const layer = await images.addLayer([{ name: 'noise', content: randomBytes(400_000) }]);
  const image = images.addImage([layer], 'one');
  const repository = openRepository(registry.host, 'up/one');
  await copyImage(images, repository, image);
  await repository.putManifest(ctx, await images.manifest(ctx, image), 'v1');
  return registry.host;
}
