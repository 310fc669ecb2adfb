import { collect } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { type LayerEntry, layerEntries } from '../layers/layer-entries.ts';
import { openLayerFile } from '../layers/layer-files.ts';
import { INDEX_IGNORE } from './documents/index-ignore.ts';
import { type CatalogDocument, DocumentReader } from './documents/read-documents.ts';
import { type DocumentKey, type Fact, keyOf, parseFact } from './model/parse-document.ts';
import type { OpenCatalog } from './open-catalog.ts';

/** A document as it was found, to be written again. */
export interface KeptDocument extends DocumentKey {
  readonly text: Buffer;
  readonly format: CatalogDocument['format'];
}

export interface ReadOptions {
  /** Whether the text of a document is kept; none by default. */
  readonly keep?: ((key: DocumentKey) => boolean) | undefined;
  /** With more text than this none is kept at all. */
  readonly maxKeptBytes?: number | undefined;
}

export interface CatalogFile {
  readonly facts: readonly Fact[];
  readonly kept: readonly KeptDocument[];
  /** Why it cannot be read. */
  readonly fault?: string;
}

/** What is below the folder of a catalog, by path within it. */
export interface CatalogFiles {
  readonly files: ReadonlyMap<string, CatalogFile>;
  /** Text of `.indexignore` files, by the folder they are in. */
  readonly ignores: ReadonlyMap<string, string>;
  readonly isOverfull: boolean;
}

/** Reads every file of the catalog once, layer by layer; links are followed at the end. */
export async function readCatalogFiles(
  ctx: Context,
  { source, image, configs }: OpenCatalog,
  options: ReadOptions,
): Promise<CatalogFiles> {
  const reader = new FileReader(options);
  const prefix = `${configs}/`;
  const links: string[] = [];
  for await (const entry of layerEntries(ctx, source, image, (path) => path.startsWith(prefix))) {
    const path = entry.path.slice(prefix.length);
    if (entry.type === 'file') await reader.read(path, entry.body);
    else links.push(path);
  }
  for (const path of links.toSorted()) {
    const target = await openLayerFile(ctx, source, image, prefix + path);
    if (target) await reader.read(path, target.body);
  }
  return reader;
}

class FileReader implements CatalogFiles {
  readonly files = new Map<string, CatalogFile>();
  readonly ignores = new Map<string, string>();
  readonly #options: ReadOptions;
  #keptBytes = 0;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  get isOverfull(): boolean {
    return this.#keptBytes > (this.#options.maxKeptBytes ?? Number.POSITIVE_INFINITY);
  }

  async read(path: string, body: LayerEntry['body']): Promise<void> {
    if (path.split('/').at(-1) !== INDEX_IGNORE) {
      // The same path twice in one layer: the later one counts.
      this.files.set(path, await this.#readFile(body));
      return;
    }
    const folder = path.slice(0, Math.max(0, path.length - INDEX_IGNORE.length - 1));
    this.ignores.set(folder, await readIgnore(body));
  }

  /** Reads to the end even when the file is no good: what follows it in the layer may be. */
  async #readFile(body: LayerEntry['body']): Promise<CatalogFile> {
    const reader = new DocumentReader();
    const facts: Fact[] = [];
    const kept: KeptDocument[] = [];
    const take = (documents: () => CatalogDocument[]): string | undefined => {
      try {
        for (const document of documents()) this.#take(document, facts, kept);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    };
    let fault: string | undefined;
    for await (const chunk of body) fault ??= take(() => reader.push(chunk));
    fault ??= take(() => reader.end());
    return fault === undefined ? { facts, kept } : { facts: [], kept: [], fault };
  }

  #take({ value, text, format }: CatalogDocument, facts: Fact[], kept: KeptDocument[]): void {
    const key = keyOf(value);
    if (key.schema === '') throw new Error('a document has no schema');
    const fact = parseFact(value, key);
    if (fact) facts.push(fact);
    if (this.#keeps(key, text)) kept.push({ ...key, text, format });
  }

  #keeps(key: DocumentKey, text: Buffer): boolean {
    if (this.isOverfull || !this.#options.keep?.(key)) return false;
    this.#keptBytes += text.length;
    if (!this.isOverfull) return true;
    // What was kept before is of no use alone.
    for (const [path, file] of this.files) this.files.set(path, { ...file, kept: [] });
    return false;
  }
}

const MAX_IGNORE_BYTES = 1024 * 1024;

async function readIgnore(body: LayerEntry['body']): Promise<string> {
  const message = `Cannot read a catalog: its ${INDEX_IGNORE} is huge`;
  const tooLong = () => new AtollError('CATALOG_INVALID', message);
  return (await collect(body, MAX_IGNORE_BYTES, tooLong)).toString('utf8');
}
