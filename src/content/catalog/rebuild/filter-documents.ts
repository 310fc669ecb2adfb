import { isObject } from '../../../core/shape.ts';
import { parseYaml } from '../../../core/yaml.ts';
import type { ChannelEntry } from '../model/catalog.ts';
import { fieldOf, listAt, textAt } from '../model/fields.ts';
import type { DocumentKey } from '../model/parse-document.ts';
import type { KeptDocument } from '../read-files.ts';
import type { SelectedPackage, Selection } from '../select/selection.ts';

/** Whether a document, as it is or filtered, belongs into the filtered catalog. */
export function keepsDocument(selection: Selection): (key: DocumentKey) => boolean {
  const namesOf = (items: readonly { readonly name: string }[]) =>
    new Set<string | undefined>(items.map(({ name }) => name));
  // Names count within their package: another may have a bundle of the same name.
  const packages = new Map(
    selection.packages.map(({ name, channels, bundles }) => [
      name,
      { channels: namesOf(channels), bundles: namesOf(bundles) },
    ]),
  );
  return ({ schema, package: owner, name }) => {
    if (owner === undefined) return true;
    const selected = packages.get(owner);
    if (!selected) return false;
    if (schema === 'olm.bundle') return selected.bundles.has(name);
    return schema !== 'olm.channel' || selected.channels.has(name);
  };
}

/**
 * A document as the filtered catalog has it: byte for byte where nothing in it has to change; undefined
 * when nothing of it is left.
 */
export function filterDocument(
  document: KeptDocument,
  selected: SelectedPackage | undefined,
): KeptDocument | undefined {
  if (!selected) return document;
  switch (document.schema) {
    case 'olm.package':
      return withDefaultChannel(document, selected.defaultChannel);
    case 'olm.channel':
      return withEntries(document, selected);
    case 'olm.deprecations':
      return withoutGone(document, selected);
    default:
      return document;
  }
}

type Value = Readonly<Record<string, unknown>>;

function parsed({ text, format }: KeptDocument): Value {
  const source = text.toString('utf8');
  return format === 'json' ? JSON.parse(source) : (parseYaml(source, 'lenient') as Value);
}

function rewritten(document: KeptDocument, value: Value): KeptDocument {
  return { ...document, text: Buffer.from(JSON.stringify(value, null, 2)), format: 'json' };
}

/** The same document with one field changed, under the spelling the document uses. */
function withField(value: Value, key: string, next: unknown): Value {
  const lower = key.toLowerCase();
  const spelled = Object.hasOwn(value, key)
    ? key
    : (Object.keys(value).find((candidate) => candidate.toLowerCase() === lower) ?? key);
  return { ...value, [spelled]: next };
}

function withDefaultChannel(document: KeptDocument, channel: string): KeptDocument {
  const value = parsed(document);
  if (textAt(value, 'defaultChannel') === channel) return document;
  return rewritten(document, withField(value, 'defaultChannel', channel));
}

function withEntries(document: KeptDocument, { channels }: SelectedPackage): KeptDocument {
  const value = parsed(document);
  const before = listAt(value, 'entries');
  const entries = channels.find(({ name }) => name === document.name)?.entries ?? [];
  const kept = new Map(entries.map((entry) => [entry.name, entry]));
  const after = before.flatMap((entry) => {
    const next = kept.get(textAt(entry, 'name') ?? '');
    return next ? [withSkips(entry, next)] : [];
  });
  const isSame = after.length === before.length && after.every((entry, at) => entry === before[at]);
  return isSame ? document : rewritten(document, withField(value, 'entries', after));
}

/** Links that only a range made are written as skips; everything else an entry says stays. */
function withSkips(entry: unknown, { skips = [] }: ChannelEntry): unknown {
  if (!isObject(entry) || listAt(entry, 'skips').length >= skips.length) return entry;
  return withField(entry, 'skips', skips);
}

function withoutGone(
  document: KeptDocument,
  { channels, bundles }: SelectedPackage,
): KeptDocument | undefined {
  const value = parsed(document);
  const before = listAt(value, 'entries');
  const after = before.filter((entry) => {
    const reference = fieldOf(entry, 'reference');
    const [schema, name] = [textAt(reference, 'schema'), textAt(reference, 'name')];
    if (schema === 'olm.bundle') return bundles.some((bundle) => bundle.name === name);
    return schema !== 'olm.channel' || channels.some((channel) => channel.name === name);
  });
  if (after.length === 0) return undefined;
  return after.length === before.length
    ? document
    : rewritten(document, withField(value, 'entries', after));
}
