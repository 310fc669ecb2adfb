import { createHash } from 'node:crypto';
import type { LayerFile } from '../../../oci/build-image.ts';
import type { KeptDocument } from '../read-files.ts';
import type { Selection } from '../select/selection.ts';
import { filterDocument } from './filter-documents.ts';

const SCHEMA_ORDER = ['olm.package', 'olm.channel', 'olm.bundle', 'olm.deprecations'];

/**
 * The files of the filtered catalog, one folder per package, made when they are asked for. They depend on
 * what is in the documents, not on the order they were found in.
 */
export function* catalogFiles(
  documents: readonly KeptDocument[],
  { packages }: Selection,
): Generator<LayerFile> {
  const byPackage = new Map<string, KeptDocument[]>();
  for (const document of documents) {
    const key = document.package ?? '';
    const known = byPackage.get(key);
    if (known) known.push(document);
    else byPackage.set(key, [document]);
  }
  yield* filesOf('', byPackage.get('') ?? []);
  for (const selected of packages) {
    const filtered = (byPackage.get(selected.name) ?? []).flatMap(
      (document) => filterDocument(document, selected) ?? [],
    );
    yield* filesOf(`${folderOf(selected.name)}/`, filtered);
  }
}

function* filesOf(prefix: string, documents: readonly KeptDocument[]): Generator<LayerFile> {
  const sorted = documents.toSorted(compareDocuments);
  for (const format of ['json', 'yaml'] as const) {
    const texts = sorted.filter((document) => document.format === format).map(({ text }) => text);
    if (texts.length === 0) continue;
    const separator = Buffer.from(format === 'json' ? '\n' : '\n---\n');
    const parts = texts.flatMap((text) => [text, separator]);
    const content = Buffer.concat(format === 'json' ? parts : parts.slice(0, -1));
    yield { path: `${prefix}catalog.${format}`, content };
  }
}

function compareDocuments(a: KeptDocument, b: KeptDocument): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (a.schema !== b.schema) return a.schema < b.schema ? -1 : 1;
  if (a.name !== b.name) return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
  return Buffer.compare(a.text, b.text);
}

function rankOf({ schema }: KeptDocument): number {
  const rank = SCHEMA_ORDER.indexOf(schema);
  return rank < 0 ? SCHEMA_ORDER.length : rank;
}

/** Packages are named like hosts; whatever else a catalog calls one must not lead out of its folder. */
function folderOf(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name)) return name;
  return `package-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}
