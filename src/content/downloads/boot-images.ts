import { basename } from 'node:path';
import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { yamlDocuments } from '../../core/yaml.ts';
import type { WantedFile } from './fetch-file.ts';

const artifact = z.looseObject({ location: z.string(), sha256: z.string() });
const streamSchema = z.looseObject({
  architectures: z.record(
    z.string(),
    z.looseObject({
      artifacts: z.record(
        z.string(),
        z.looseObject({
          release: z.string(),
          formats: z.record(z.string(), z.record(z.string(), artifact)),
        }),
      ),
    }),
  ),
});

/** The stream metadata of CoreOS, as far as it names what can be downloaded. */
export type BootStream = z.output<typeof streamSchema>;

export function parseStream(text: string, place: string): BootStream {
  try {
    return streamSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot read the stream metadata of ${place}`, { cause });
  }
}

const configMap = z.looseObject({
  kind: z.literal('ConfigMap'),
  metadata: z.looseObject({ name: z.literal('coreos-bootimages') }),
  data: z.looseObject({ stream: z.string() }),
});

interface BootPayload {
  readonly version: string;
  readonly manifests: ReadonlyMap<string, { readonly bytes: Uint8Array }>;
}

/** What a release says its machines boot from. */
export function streamOf(payload: BootPayload): BootStream {
  for (const [name, { bytes }] of payload.manifests) {
    const text = Buffer.from(bytes).toString('utf8');
    if (!text.includes('coreos-bootimages')) continue;
    for (const document of yamlDocuments(text, 'strict')) {
      const parsed = configMap.safeParse(document.error ? undefined : document.value());
      if (parsed.success)
        return parseStream(parsed.data.data.stream, `${name} of release ${payload.version}`);
    }
  }
  throw new AtollError(
    'PAYLOAD_INVALID',
    `Cannot find boot images of release ${payload.version}: it has no ConfigMap coreos-bootimages`,
    { hint: 'Name stream metadata with "stream" of bootImages' },
  );
}

export const KERNEL_NAMES: Readonly<Record<string, string>> = { amd64: 'x86_64', arm64: 'aarch64' };

export interface BootFiles {
  /** CoreOS release, such as 421.94.202511010000-0. */
  readonly release: string;
  readonly architecture: string;
  readonly files: readonly WantedFile[];
}

/** Every file of these formats; what the stream does not have is an error that says what it has. */
export function bootFiles(
  stream: BootStream,
  machine: string,
  formats: readonly string[],
  by: string,
): BootFiles {
  const architecture = KERNEL_NAMES[machine] ?? machine;
  const artifacts = stream.architectures[architecture]?.artifacts ?? {};
  const files: WantedFile[] = [];
  let release = '';
  for (const wanted of formats) {
    const [platform = '', format = ''] = wanted.split('/');
    const found = artifacts[platform]?.formats[format];
    if (!found) throw unknownFormat(wanted, architecture, artifacts);
    release = artifacts[platform]?.release ?? release;
    for (const { location, sha256 } of Object.values(found))
      files.push({ path: basename(location), url: location, sum: { sha256, by } });
  }
  return { release, architecture, files };
}

function unknownFormat(
  wanted: string,
  architecture: string,
  artifacts: BootStream['architectures'][string]['artifacts'],
): AtollError {
  const known = Object.entries(artifacts).flatMap(([platform, { formats }]) =>
    Object.keys(formats).map((format) => `${platform}/${format}`),
  );
  return new AtollError('INPUT_INVALID', `Cannot find ${wanted} for ${architecture}`, {
    hint:
      known.length > 0
        ? `There are ${known.toSorted().join(', ')}`
        : 'There is nothing for this architecture',
  });
}
