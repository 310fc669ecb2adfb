import * as z from 'zod';
import { AtollError } from '../../../../core/errors.ts';
import { readText } from '../../../../core/files.ts';
import { toYaml } from '../../../../core/yaml.ts';
import { chronyConf } from '../../../../generate/chrony.ts';
import { crioDropIn } from '../../../../generate/crio.ts';
import { type FileEntry, textFile, type UnitEntry } from '../../../../generate/ignition/config.ts';
import { machineConfig } from '../../../../generate/machine-config.ts';
import { policyJson, type Trust } from '../../../../generate/policy-json.ts';
import { formatReference } from '../../../../oci/reference.ts';
import { namedFiles, pair, splitPair } from '../flag-files.ts';
import { many, manyTexts, someTexts, text } from '../flags.ts';
import { renderTarget } from '../target.ts';

export const policyTarget = renderTarget({
  name: 'policy',
  summary: 'policy.json: which images must be signed by whom',
  schema: z.object({
    default: text(
      'TRUST',
      'accept, reject, gpg:KEYFILE or sigstore:KEYFILE for all other images',
    ).default('accept'),
    scope: many('PLACE=TRUST', 'The same for one registry or repository', pair('scope')),
  }),
  examples: {
    'atoll render policy --default reject --scope mirror.example:5000=accept':
      'nothing but the mirror',
  },
  make: (options) =>
    policyJson({
      default: trustOf(options.default),
      scopes: Object.fromEntries(options.scope.map(([place, trust]) => [place, trustOf(trust)])),
    }),
});

function trustOf(given: string): Trust {
  if (given === 'accept' || given === 'reject') return { type: given };
  const [, type, keyPath] = /^(gpg|sigstore):(\/\S+)$/.exec(given) ?? [];
  if (keyPath !== undefined) return { type: type === 'gpg' ? 'gpg' : 'sigstore', keyPath };
  throw new AtollError('USAGE', `Cannot use trust "${given}"`, {
    hint: 'Write accept, reject, gpg:/path/of/key or sigstore:/path/of/key',
  });
}

export const crioTarget = renderTarget({
  name: 'crio',
  summary: 'Drop-in for CRI-O that takes the pause image from the mirror',
  schema: z.object({
    pauseImage: text('IMAGE', 'Component "pod" of the release'),
    authFile: text('PATH', 'Pull secret on the node').optional(),
  }),
  examples: {
    'atoll render crio --pause-image mirror.example:5000/openshift/release:pod': 'one drop-in',
  },
  fromSite: async (inputs) => {
    const pod = (await inputs.mirrored()).find(({ image }) => image.component === 'pod');
    return { pauseImage: pod && formatReference(pod.target) };
  },
  make: ({ pauseImage, authFile }) => crioDropIn({ pauseImage, pauseImageAuthFile: authFile }),
});

export const chronyTarget = renderTarget({
  name: 'chrony',
  summary: 'chrony.conf with time servers inside the network',
  schema: z.object({ server: someTexts('HOST', 'Time server; may be given more than once') }),
  examples: {
    'atoll render chrony --server ntp.example --to chrony.conf':
      'then "render machine-config" carries it',
  },
  fromSite: ({ site }) => ({
    server: site.postInstall.ntpServers.length > 0 ? site.postInstall.ntpServers : undefined,
  }),
  make: ({ server }) => chronyConf(server),
});

/** Files and units from this machine, for targets that put them onto another. */
export const PAYLOAD_FLAGS = {
  file: many(
    'PATH[:MODE]=FILE',
    'Put FILE at PATH of the machine, mode 0644 unless named',
    z.string().transform(fileOf),
  ),
  unit: namedFiles('unit', 'Enable this systemd unit'),
  mask: manyTexts('NAME', 'Never start this systemd unit'),
};

async function fileOf(given: string): Promise<FileEntry> {
  const [place, source] = splitPair('file', given);
  const [, path, mode] = /^(\/.+?)(?::([0-7]{3,4}))?$/.exec(place) ?? [];
  if (path === undefined) {
    throw new AtollError('USAGE', `Cannot use "--file ${given}"`, {
      hint: 'Write an absolute path, such as "/etc/chrony.conf=chrony.conf"',
    });
  }
  return textFile(path, await readText(source), mode ? { mode: Number.parseInt(mode, 8) } : {});
}

interface Payload {
  readonly file: readonly FileEntry[];
  readonly unit: Readonly<Record<string, string>>;
  readonly mask: readonly string[];
}

export function payloadOf({ file: files, unit, mask }: Payload) {
  const units: UnitEntry[] = [
    ...Object.entries(unit).map(([name, contents]) => ({ name, enabled: true, contents })),
    ...mask.map((name) => ({ name, enabled: false, mask: true })),
  ];
  return { files, units };
}

export const machineConfigTarget = renderTarget({
  name: 'machine-config',
  summary: 'MachineConfigs that carry files and units to the nodes of a pool',
  schema: z.object({
    role: someTexts('POOL', 'Pool; one object each').default(['master', 'worker']),
    name: text('NAME', 'Last part of 99-POOL-NAME'),
    ...PAYLOAD_FLAGS,
    kernelArgument: manyTexts('ARG', 'Kernel argument'),
  }),
  examples: {
    'atoll render machine-config --name chrony --file /etc/chrony.conf=chrony.conf':
      'for both pools',
    'atoll render machine-config --name hosts --role worker --file /etc/hosts:0644=hosts':
      'one pool',
  },
  make: ({ role: roles, name, kernelArgument: kernelArguments, ...payload }) =>
    toYaml(
      ...roles.toSorted().map((role) =>
        machineConfig({
          name: `99-${role}-${name}`,
          role,
          ...payloadOf(payload),
          kernelArguments,
        }),
      ),
    ),
});
