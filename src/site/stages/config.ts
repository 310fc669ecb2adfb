import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { counted } from '../../core/format.ts';
import { installManifests } from '../../generate/cluster/install-manifests.ts';
import {
  formatInstallConfig,
  type InstallConfigInput,
  installConfig,
} from '../../generate/install-config/build.ts';
import type { InstallFacts } from '../../generate/install-config/facts.ts';
import type { InstallConfig } from '../../generate/install-config/schema.ts';
import { validateInstallConfig } from '../../generate/install-config/validate.ts';
import { registriesConf } from '../../generate/registries-conf.ts';
import type { KnownImage } from '../../mirror/flow/working-dir.ts';
import { formatReference } from '../../oci/reference.ts';
import { EXTRA_MANIFESTS } from '../../platform/shared/installer.ts';
import type { JsonObject } from '../../workflow/step.ts';
import { releaseImageOf, type SiteInstallConfig, siteInputs } from '../inputs.ts';
import { hasMirror } from '../mirror-place.ts';
import { platformFiles } from '../platform-files.ts';
import type { Site } from '../read-site.ts';
import { asJson, fingerprint, type Stage } from './stage.ts';

/** Names of what this stage writes, below the install folder. */
export const INSTALL_FILES = {
  installConfig: 'install-config.yaml',
  registriesConf: 'nodes/registries.conf',
  pullSecret: 'nodes/pull-secret.json',
  trustBundle: 'nodes/trust-bundle.pem',
  releaseImage: 'nodes/release-image',
} as const;

export const configStage: Stage = {
  id: 'config',
  // What nodes trust and log in with is in what it writes, so it needs all three.
  needs: ['credentials', 'registry', 'images'],
  inputs: (site) => {
    const { cluster, mode, postInstall, proxy, platform } = site;
    const sshKey = fingerprint(site, cluster.sshKey);
    const files = platformFiles(site).map(([, path]) => fingerprint(site, path));
    return asJson({ cluster, mode, postInstall, proxy, platform, files, sshKey });
  },
  plan: ({ paths }) => [
    `write install-config, node configuration and manifests to ${paths.install}, checked with the installer's own rules`,
  ],
  run: async (ctx, work, { outputs }) => {
    const inputs = siteInputs(work.site, 'complete');
    const mirrored = await inputs.mirrored();
    const release = requireRelease(work.site, mirrored, outputs.images);
    const config = installConfig(withPlatform(await inputs.installConfig(), work.site));
    checkConfig(ctx, work.site, config, await inputs.installFacts(ctx.now()));
    const files: Readonly<Record<keyof typeof INSTALL_FILES, string>> = {
      installConfig: formatInstallConfig(config),
      registriesConf: registriesConf(await inputs.registriesConf()),
      pullSecret: await inputs.pullSecret(),
      trustBundle: (await inputs.trustBundle()) ?? '',
      releaseImage: release,
    };
    const named = Object.entries(files).map(
      ([name, text]) => [INSTALL_FILES[name as keyof typeof INSTALL_FILES], text] as const,
    );
    const manifests = Object.entries(installManifests(inputs.manifests()));
    const extra = join(work.paths.install, EXTRA_MANIFESTS);
    // What an earlier run wanted and this one does not would be in the cluster, too.
    await rm(extra, { recursive: true, force: true });
    const extras = manifests.map(([name, text]) => [join(EXTRA_MANIFESTS, name), text] as const);
    for (const [name, text] of [...named, ...extras]) {
      const path = join(work.paths.install, name);
      await writeFileAtomic(path, text, { mode: SECRET_MODE });
      ctx.emit({ type: 'file.written', path });
    }
    const workloads = mirrored.filter(({ image }) => isWorkload(image.kind)).map(workloadName);
    return {
      releaseImage: release,
      folder: work.paths.install,
      workloads: [...new Set(workloads)].toSorted(),
    };
  },
};

const isWorkload = (kind: string) => !['release', 'component', 'kubevirt', 'graph'].includes(kind);

/** What a user writes: catalogs by their place in the mirror, the rest by its upstream name. */
function workloadName({ image, target }: KnownImage): string {
  return formatReference(image.kind === 'catalog' ? target : image.source);
}

function requireRelease(
  site: Site,
  mirrored: readonly KnownImage[],
  found: JsonObject | undefined,
): string {
  if (!hasMirror(site)) return String(found?.releaseImage ?? '');
  const image = releaseImageOf(site, mirrored);
  if (image) return image;
  throw new AtollError(
    'CONTENT_MISSING',
    'Cannot configure the install: no release image is in the mirror',
    {
      hint: 'Run the images stage first: atoll up --only images',
    },
  );
}

function withPlatform(input: SiteInstallConfig, site: Site): InstallConfigInput {
  const { platform } = input;
  if (platform) return { ...input, platform };
  throw new AtollError(
    'NOT_BUILT',
    `Cannot write the install-config of a site on ${site.platform.type} yet`,
    {
      hint: 'Use "atoll render install-config", which knows this platform',
    },
  );
}

/** Everything the installer would refuse, and what it lets pass and the bootstrap then dies of. */
function checkConfig(ctx: Context, site: Site, config: InstallConfig, facts: InstallFacts): void {
  const violations = validateInstallConfig(config, facts);
  for (const { severity, path, message, fix } of violations) {
    if (severity === 'warning')
      ctx.emit({
        type: 'warning.raised',
        subject: path,
        message: `install-config: ${path}: ${message}`,
        hint: fix,
      });
  }
  const errors = violations.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const shown = errors.map(({ path, message, fix }) => `${path}: ${message} (${fix})`);
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot use the install-config: found ${counted(errors.length, 'mistake')}\n  ${shown.join('\n  ')}`,
    {
      hint: `Correct ${site.path} and run the same command again`,
    },
  );
}
