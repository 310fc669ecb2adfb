import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readText, readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { counted } from '../../core/format.ts';
import { operatorHub } from '../../generate/cluster/catalogs.ts';
import { samplesConfig } from '../../generate/cluster/samples-config.ts';
import {
  formatInstallConfig,
  installConfig,
} from '../../generate/install-config/install-config.ts';
import { validateInstallConfig } from '../../generate/install-config/validate.ts';
import type { MirrorRule } from '../../generate/mirror-rule.ts';
import { registriesConf } from '../../generate/registries-conf.ts';
import { toYaml } from '../../generate/yaml.ts';
import { type KnownImage, WorkingDir } from '../../mirror/flow/working-dir.ts';
import { type GroupedRules, imageRules } from '../../mirror/image-rules.ts';
import { formatReference } from '../../oci/reference.ts';
import { RELEASE_NAMESPACE } from '../../openshift/repositories.ts';
import { parseReleaseVersion } from '../../openshift/version.ts';
import { sitePath } from '../read-site.ts';
import { mirrorCa, mirrorHost } from './places.ts';
import { asJson, fingerprint, type Stage, type StageWork } from './stage.ts';

/** Names of what this stage writes, below the install folder. */
export const INSTALL_FILES = {
  installConfig: 'install-config.yaml',
  registriesConf: 'nodes/registries.conf',
  pullSecret: 'nodes/pull-secret.json',
  trustBundle: 'nodes/trust-bundle.pem',
  manifests: 'manifests/99-atoll.yaml',
} as const;

export const configStage: Stage = {
  id: 'config',
  title: 'Configuration',
  // What nodes trust and log in with is in what it writes, so it needs all three.
  needs: ['credentials', 'registry', 'images'],
  inputs: (site) => {
    const { cluster, mode, postInstall, proxy, platform } = site;
    const sshKey = fingerprint(site, cluster.sshKey);
    return asJson({ cluster, mode, postInstall, proxy, platform: platform.type, sshKey });
  },
  plan: ({ paths }) => [
    `write install-config, node configuration and manifests to ${paths.install}, checked with the installer's own rules`,
  ],
  run: async (ctx, work) => {
    const mirrored = await new WorkingDir(work.paths.mirror).mirrored();
    const release = releaseOf(mirrored, work);
    const inputs = await readInputs(work);
    const { byDigest, byTag } = imageRules(mirrored);
    const rules = { byDigest: flat(byDigest), byTag: flat(byTag) };
    const config = installConfigOf(work, inputs, rules.byDigest, release);
    checkConfig(ctx, work, config, inputs);
    const files: Readonly<Record<keyof typeof INSTALL_FILES, string>> = {
      installConfig: formatInstallConfig(config),
      registriesConf: registriesConf({
        rules: rules.byDigest,
        tagRules: rules.byTag,
        blocked: blockedUpstreams(work, mirrored),
      }),
      pullSecret: inputs.pullSecret,
      trustBundle: inputs.trustBundle ?? '',
      manifests: manifestsText(work),
    };
    for (const [name, text] of Object.entries(files)) {
      const path = join(work.paths.install, INSTALL_FILES[name as keyof typeof INSTALL_FILES]);
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

function releaseOf(mirrored: readonly KnownImage[], { site }: StageWork): string {
  const releases = mirrored.filter(({ image }) => image.kind === 'release');
  const wanted =
    releases.find(({ image }) => image.release?.version === site.release.version) ??
    releases.at(-1);
  if (wanted)
    return `${wanted.image.source.registry}/${wanted.image.source.repository}@${wanted.digest}`;
  throw new AtollError(
    'CONTENT_MISSING',
    'Cannot configure the install: no release image is in the mirror',
    {
      hint: 'Run the images stage first: atoll up --only images',
    },
  );
}

interface Inputs {
  readonly pullSecret: string;
  readonly trustBundle: string | undefined;
  readonly sshKey: string | undefined;
  /** What the mirror shows to clients, where that is known without asking it. */
  readonly mirrorCertificate: string | undefined;
}

async function readInputs(work: StageWork): Promise<Inputs> {
  const { site, paths } = work;
  const ca = mirrorCa(work);
  // Disconnected nodes get the mirror's entry alone: any other would only be a leak.
  const secret = site.mode === 'disconnected' ? paths.mirrorSecret : paths.mergedSecret;
  return {
    pullSecret: (await readText(secret)).trim(),
    trustBundle: ca ? await readText(ca) : undefined,
    mirrorCertificate:
      site.registry.type === 'embedded'
        ? await readTextIfPresent(join(paths.registry, 'tls', 'server.crt'))
        : undefined,
    sshKey: site.cluster.sshKey ? await readText(sitePath(site, site.cluster.sshKey)) : undefined,
  };
}

function flat(rules: GroupedRules): readonly MirrorRule[] {
  return [...rules.release, ...rules.operator, ...rules.generic];
}

/** In a disconnected site nothing may be asked of upstream, not even as a last resort. */
function blockedUpstreams({ site }: StageWork, mirrored: readonly KnownImage[]): string[] {
  if (site.mode !== 'disconnected') return [];
  return [...new Set(mirrored.map(({ image }) => image.source.registry))].toSorted();
}

function installConfigOf(
  { site }: StageWork,
  inputs: Inputs,
  rules: readonly MirrorRule[],
  releaseImage: string,
) {
  const { cluster, platform, proxy } = site;
  if (platform.type !== 'lab' && platform.type !== 'none') {
    throw new AtollError(
      'NOT_BUILT',
      `Cannot write the install-config of a site on ${platform.type} yet`,
      {
        hint: 'Use "atoll render install-config", which knows this platform',
      },
    );
  }
  const used = new Set([RELEASE_NAMESPACE, releaseImage.slice(0, releaseImage.lastIndexOf('/'))]);
  return installConfig({
    name: cluster.name,
    baseDomain: cluster.baseDomain,
    platform: { type: 'none' },
    releaseVersion: site.release.version,
    size: { controlPlane: cluster.controlPlane, compute: cluster.workers },
    machineNetwork: [cluster.machineNetwork],
    clusterNetwork: [{ cidr: cluster.clusterNetwork, hostPrefix: cluster.hostPrefix }],
    serviceNetwork: [cluster.serviceNetwork],
    mirrorRules: rules.filter(({ source }) =>
      [...used].some((prefix) => source.startsWith(prefix)),
    ),
    additionalTrustBundle: inputs.trustBundle,
    additionalTrustBundlePolicy: inputs.trustBundle ? 'Always' : undefined,
    credentialsMode: cluster.credentialsMode,
    fips: cluster.fips,
    sshKey: inputs.sshKey,
    proxy: proxy.url ? { httpProxy: proxy.url, httpsProxy: proxy.url } : undefined,
    pullSecret: inputs.pullSecret,
  });
}

/** Everything the installer would refuse, and what it lets pass and the bootstrap then dies of. */
function checkConfig(
  ctx: Context,
  { site }: StageWork,
  config: ReturnType<typeof installConfig>,
  inputs: Inputs,
): void {
  const violations = validateInstallConfig(config, {
    version: site.release.version ? parseReleaseVersion(site.release.version) : undefined,
    disconnected: site.mode === 'disconnected',
    mirror: { host: mirrorHost(site), certificates: inputs.mirrorCertificate },
    now: ctx.now(),
  });
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

function manifestsText({ site }: StageWork): string {
  return toYaml(
    operatorHub({ defaultsOff: !site.postInstall.defaultCatalogs }),
    ...(site.postInstall.samples === 'Removed' ? [samplesConfig({ removed: true })] : []),
  );
}
