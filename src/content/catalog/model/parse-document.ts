import { parseLenientVersion } from '../../image-set/versions.ts';
import type { Bundle, Channel, ChannelEntry, Deprecation, RelatedImage } from './catalog.ts';
import { fieldOf, listAt, textAt } from './fields.ts';
import { parseApiKind, parseRequirement } from './requirement.ts';

type Value = Readonly<Record<string, unknown>>;

/** What a document is about. */
export interface DocumentKey {
  readonly schema: string;
  /** The package it belongs to; undefined when it belongs to the catalog as a whole. */
  readonly package: string | undefined;
  readonly name: string | undefined;
}

export function keyOf(value: Value): DocumentKey {
  const schema = textAt(value, 'schema') ?? '';
  const name = textAt(value, 'name');
  return { schema, name, package: schema === 'olm.package' ? name : textAt(value, 'package') };
}

/** What choosing needs of a document; most of its bulk is left behind. */
export type Fact =
  | {
      readonly kind: 'package';
      readonly package: string;
      readonly defaultChannel: string | undefined;
    }
  | { readonly kind: 'channel'; readonly package: string; readonly channel: Channel }
  | { readonly kind: 'bundle'; readonly package: string; readonly bundle: Bundle }
  | {
      readonly kind: 'deprecations';
      readonly package: string;
      readonly deprecations: readonly Deprecation[];
    };

/** Undefined for documents that choosing has no use for. */
export function parseFact(value: Value, key: DocumentKey): Fact | undefined {
  const { package: owner, name = '' } = key;
  if (owner === undefined) return undefined;
  switch (key.schema) {
    case 'olm.package':
      return { kind: 'package', package: owner, defaultChannel: textAt(value, 'defaultChannel') };
    case 'olm.channel':
      return { kind: 'channel', package: owner, channel: parseChannel(value, name) };
    case 'olm.bundle':
      return { kind: 'bundle', package: owner, bundle: parseBundle(value, name, owner) };
    case 'olm.deprecations':
      return { kind: 'deprecations', package: owner, deprecations: parseDeprecations(value) };
    default:
      return undefined;
  }
}

function parseChannel(value: Value, name: string): Channel {
  return { name, entries: listAt(value, 'entries').flatMap(parseEntry) };
}

function parseEntry(value: unknown): ChannelEntry[] {
  const name = textAt(value, 'name');
  if (name === undefined) return [];
  const replaces = textAt(value, 'replaces');
  const skips = texts(listAt(value, 'skips'));
  const skipRange = textAt(value, 'skipRange');
  return [
    {
      name,
      ...(replaces === undefined ? {} : { replaces }),
      ...(skips.length === 0 ? {} : { skips }),
      ...(skipRange === undefined ? {} : { skipRange }),
    },
  ];
}

function parseBundle(value: Value, name: string, packageName: string): Bundle {
  const properties = listAt(value, 'properties').map((property) => ({
    type: textAt(property, 'type') ?? '',
    value: fieldOf(property, 'value'),
  }));
  const own = properties.find(({ type }) => type === 'olm.package');
  return {
    name,
    package: packageName,
    version: parseLenientVersion(textAt(own?.value, 'version') ?? ''),
    image: textAt(value, 'image') ?? '',
    relatedImages: listAt(value, 'relatedImages').flatMap(parseRelated),
    provides: properties.flatMap((property) =>
      property.type === 'olm.gvk' ? (parseApiKind(property.value) ?? []) : [],
    ),
    requires: properties.flatMap(
      (property) => parseRequirement(property.type, property.value) ?? [],
    ),
  };
}

function parseRelated(value: unknown): RelatedImage[] {
  const image = textAt(value, 'image');
  return image === undefined ? [] : [{ name: textAt(value, 'name') ?? '', image }];
}

const SCHEMAS: readonly string[] = ['olm.package', 'olm.channel', 'olm.bundle'];

function parseDeprecations(value: Value): Deprecation[] {
  return listAt(value, 'entries').flatMap((entry) => {
    const reference = fieldOf(entry, 'reference');
    const schema = textAt(reference, 'schema') ?? '';
    if (!SCHEMAS.includes(schema)) return [];
    return {
      schema: schema as Deprecation['schema'],
      name: textAt(reference, 'name') ?? '',
      message: textAt(entry, 'message') ?? '',
    };
  });
}

function texts(values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}
