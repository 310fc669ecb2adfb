import * as z from 'zod';
import { readText } from '../../core/files.ts';
import { isObject } from '../../core/shape.ts';
import { inputError, parseYamlInput } from '../../core/yaml-input.ts';
import { contentSchema } from './content-schema.ts';
import { type ApiVersion, only, refused, text, wholeNumber } from './fields.ts';
import type { ImageSet } from './image-set.ts';
import { warningsIn } from './warnings.ts';

type Purpose = ImageSet['purpose'];

const GROUP = 'mirror.openshift.io/';
const VERSIONS: readonly ApiVersion[] = ['v1alpha2', 'v2alpha1'];
const KINDS = { mirror: 'ImageSetConfiguration', delete: 'DeleteImageSetConfiguration' } as const;
const GIB = 1024 ** 3;

/** Reads an ImageSetConfiguration or DeleteImageSetConfiguration; every mistake in it is in the error. */
export async function readImageSet(path: string): Promise<ImageSet> {
  return parseImageSet(await readText(path), path);
}

export function parseImageSet(yaml: string, file: string): ImageSet {
  let purpose: Purpose = 'mirror';
  let version: ApiVersion = 'v2alpha1';
  const parsed = parseYamlInput(
    (document) => {
      ({ purpose, version } = headOf(document));
      return imageSetSchema(version, purpose);
    },
    yaml,
    { nullIsAbsent: true },
  );
  if (parsed.value === undefined) throw inputError(file, parsed.problems);
  const { value, input, locate } = parsed;
  const content = value.mirror ?? value.delete;
  const written = input.mirror ?? input.delete;
  if (!content || !written) throw new Error(`"${file}" was accepted without content`);
  return {
    purpose,
    apiVersion: version,
    file,
    archiveSizeBytes: value.archiveSize ? value.archiveSize * GIB : undefined,
    ...content,
    warnings: warningsIn(input, purpose, written, locate),
  };
}

/** Which schema a document asks for; what is unknown is then a mistake in the newest. */
function headOf(document: unknown): { readonly purpose: Purpose; readonly version: ApiVersion } {
  const { apiVersion, kind } = isObject(document) ? document : {};
  if (typeof kind === 'string' && kind.startsWith('Delete')) {
    return { purpose: 'delete', version: 'v2alpha1' };
  }
  return {
    purpose: 'mirror',
    version: apiVersion === `${GROUP}v1alpha2` ? 'v1alpha2' : 'v2alpha1',
  };
}

/** One kind of document in one version; deleting is known to v2alpha1 alone. */
export function imageSetSchema(version: ApiVersion, purpose: Purpose) {
  const content = contentSchema(version, purpose);
  const another = (other: Purpose) => refused(`a document with "${other}" has another kind`);
  return z.strictObject({
    apiVersion: head(
      `${KINDS[purpose]} has apiVersion`,
      `${GROUP}${version}`,
      apiVersions(purpose),
    ),
    kind: head('an image set has kind', KINDS[purpose], Object.values(KINDS)),
    mirror: purpose === 'mirror' ? content : another('mirror'),
    delete: purpose === 'delete' ? content : another('delete'),
    archiveSize: wholeNumber.optional().describe('Largest chunk of a bundle, in GiB'),
    storageConfig: only(
      version === 'v1alpha2',
      storageConfig,
      'it belongs to v1alpha2; atoll needs no place for metadata',
    ),
    metadata: refused('an image set has none'),
  });
}

const storageConfig = z.strictObject({
  local: z.strictObject({ path: text }).optional(),
  registry: z.strictObject({ imageURL: text, skipTLS: z.boolean().optional() }).optional(),
});

function apiVersions(purpose: Purpose): string[] {
  const known = purpose === 'delete' ? VERSIONS.slice(-1) : VERSIONS;
  return known.map((version) => `${GROUP}${version}`);
}

/** A field that says what the document is: all that it could say is shown where it says something else. */
function head<const T extends string>(subject: string, expected: T, choices: readonly string[]) {
  return z.literal(expected, {
    error: ({ input }) =>
      input === undefined ? undefined : `${subject} ${choices.join(' or ')}, not "${input}"`,
  });
}
