import { isMap, isScalar } from 'yaml';
import { readText } from '../../core/files.ts';
import { nearest } from '../../core/nearest.ts';
import { describe, keyNode, Reading } from './document.ts';
import type { ApiVersion } from './fields.ts';
import {
  additionalImageReader,
  blockedImageReader,
  helmReader,
  sampleReader,
} from './image-schema.ts';
import type { ImageSet } from './image-set.ts';
import { normalContent, type RawContent } from './normal-form.ts';
import { operatorReader } from './operator-schema.ts';
import { platformReader } from './platform-schema.ts';
import { flag, list, mapping, type Report, text, wholeNumber } from './readers.ts';

const GROUP = 'mirror.openshift.io/';
const VERSIONS: readonly ApiVersion[] = ['v1alpha2', 'v2alpha1'];
const KINDS = ['ImageSetConfiguration', 'DeleteImageSetConfiguration'] as const;
const GIB = 1024 ** 3;

/** Reads an ImageSetConfiguration or DeleteImageSetConfiguration; every mistake in it is in the error. */
export async function readImageSet(path: string): Promise<ImageSet> {
  return parseImageSet(await readText(path), path);
}

export function parseImageSet(yaml: string, file: string): ImageSet {
  const reading = new Reading(yaml, file);
  const apiVersion = readApiVersion(reading);
  const kind = readKind(reading);
  const purpose = kind === 'DeleteImageSetConfiguration' ? 'delete' : 'mirror';
  if (purpose === 'delete' && apiVersion === 'v1alpha2') {
    reading.mistake(keyNode(reading.root, 'apiVersion'), NO_V1_DELETE);
  }
  const raw = reading.root ? envelope(apiVersion, purpose)(reading.root, reading) : undefined;
  if (!reading.root) reading.mistake(null, 'the file is empty');
  reading.throwMistakes();

  const size = raw?.archiveSize ?? 0;
  const { content, warnings } = normalContent(raw?.[purpose] ?? {}, reading);
  return {
    purpose,
    apiVersion,
    file,
    archiveSizeBytes: size > 0 ? size * GIB : undefined,
    ...content,
    warnings,
  };
}

const NO_V1_DELETE = `a DeleteImageSetConfiguration has apiVersion ${GROUP}v2alpha1`;

function readApiVersion(reading: Reading): ApiVersion {
  const found = scalarAt(reading, 'apiVersion');
  const known = VERSIONS.find((version) => found === GROUP + version);
  if (known) return known;
  const choices = VERSIONS.map((version) => GROUP + version);
  const near = nearest(found ?? '', choices);
  reading.mistake(
    valueAt(reading, 'apiVersion') ?? reading.root,
    found ? `"${found}" is no apiVersion of an image set` : '"apiVersion" is missing',
    near ? `did you mean "${near}"?` : `write ${choices.join(' or ')}`,
  );
  return 'v2alpha1';
}

function readKind(reading: Reading): (typeof KINDS)[number] {
  const found = scalarAt(reading, 'kind');
  const known = KINDS.find((kind) => found === kind);
  if (known) return known;
  const near = nearest(found ?? '', KINDS);
  reading.mistake(
    valueAt(reading, 'kind') ?? reading.root,
    found ? `"${found}" is not the kind of an image set` : '"kind" is missing',
    near ? `did you mean "${near}"?` : `write ${KINDS.join(' or ')}`,
  );
  return found?.startsWith('Delete') ? 'DeleteImageSetConfiguration' : 'ImageSetConfiguration';
}

function valueAt({ root }: Reading, key: string) {
  return isMap(root) ? root.get(key, true) : undefined;
}

function scalarAt(reading: Reading, key: string): string | undefined {
  const node = valueAt(reading, key);
  if (node === undefined || !isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : describe(node);
}

const storageConfig = mapping({
  local: mapping({ path: text }, { required: ['path'] }),
  registry: mapping({ imageURL: text, skipTLS: flag }, { required: ['imageURL'] }),
});

function envelope(version: ApiVersion, purpose: 'mirror' | 'delete') {
  const other = purpose === 'mirror' ? 'delete' : 'mirror';
  const content = contentReader(version, purpose);
  const fields = {
    apiVersion: text,
    kind: text,
    [purpose]: content,
    archiveSize: wholeNumber,
    ...(version === 'v1alpha2' ? { storageConfig } : {}),
  } as EnvelopeFields;
  return mapping(fields, {
    required: [purpose],
    explain: {
      [other]: `a document with "${other}" has another kind`,
      storageConfig: 'it belongs to v1alpha2; atoll needs no place for metadata',
      metadata: 'an image set has none',
    },
    check: (values, report) => explainStorage(values.storageConfig, report),
  });
}

type EnvelopeFields = {
  apiVersion: typeof text;
  kind: typeof text;
  mirror: ReturnType<typeof contentReader>;
  delete: ReturnType<typeof contentReader>;
  archiveSize: typeof wholeNumber;
  storageConfig: typeof storageConfig;
};

function explainStorage(value: unknown, report: Report<EnvelopeFields>): void {
  if (value === undefined) return;
  const hint = 'Deltas come from "--have INVENTORY" or "--since" instead';
  report.warn('storageConfig', 'storageConfig is not used: no metadata is kept between runs', hint);
}

function contentReader(version: ApiVersion, purpose: 'mirror' | 'delete') {
  const always = {
    platform: platformReader(version),
    operators: list(operatorReader(version), {
      key: ({ catalog, targetCatalog, targetTag }) =>
        catalog && [catalog, targetCatalog, targetTag].join(' '),
      describe: ({ catalog }) => `the catalog "${catalog}" with the same target`,
    }),
    additionalImages: list(additionalImageReader(version)),
    helm: helmReader(version),
    samples: list(sampleReader),
  };
  const blocked = { blockedImages: list(blockedImageReader) };
  const fields = purpose === 'mirror' ? { ...always, ...blocked } : (always as never);
  return mapping(fields as typeof always & typeof blocked, {
    explain: { blockedImages: 'what is deleted cannot be blocked: leave it out' },
    check(values, report) {
      const asked = Object.values(values).some((value) => value !== undefined);
      if (!asked) report.mistake('platform', `"${purpose}" asks for nothing`);
      if (values.samples?.length) report.warn('samples', NO_SAMPLES, LIST_IMAGES);
    },
  }) satisfies (...args: never[]) => RawContent | undefined;
}

const NO_SAMPLES = '"samples" is not carried out, as in every version of oc-mirror';
const LIST_IMAGES = 'List the images under "additionalImages"';
