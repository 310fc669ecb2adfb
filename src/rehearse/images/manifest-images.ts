import { readText } from '../../core/files.ts';
import { isObject } from '../../core/shape.ts';
import { readYaml } from '../../core/yaml.ts';
import { type WantedImage, wantedImage } from './wanted-image.ts';

/** Fields of Kubernetes and OpenShift objects that hold a pull spec. */
const IMAGE_FIELDS = new Set(['image', 'osImageURL', 'baseOSContainerImage', 'graphDataImage']);
const RELATED_IMAGE = /^RELATED_IMAGE_/;
/** Mirror rules name places, not images. */
const RULE_KINDS = /^(ImageDigestMirrorSet|ImageTagMirrorSet|ImageContentSourcePolicy)$/;

/** Images that a file of cluster objects names. What is no reference with a host is left out. */
export async function manifestImages(path: string): Promise<WantedImage[]> {
  const documents = readYaml(await readText(path), `"${path}"`);
  return documents.flatMap((document) => imagesOf(document, path));
}

function imagesOf(document: unknown, path: string): WantedImage[] {
  if (!isObject(document) || RULE_KINDS.test(String(document.kind))) return [];
  if (Array.isArray(document.items)) return document.items.flatMap((item) => imagesOf(item, path));
  const { kind } = document;
  // Without a kind it is no object of a cluster: a report, a values file.
  if (typeof kind !== 'string') return [];
  const reason = `named in ${path}`;
  const catalog = catalogOf(kind, document);
  if (catalog !== undefined) return wanted('catalog', catalog, reason);
  return [...pullSpecs(document)].flatMap((text) => wanted('additional', text, reason));
}

/** A CatalogSource and a ClusterCatalog are read further: what they hold is wanted, too. */
function catalogOf(kind: string, { spec }: Readonly<Record<string, unknown>>): string | undefined {
  if (!isObject(spec)) return undefined;
  if (kind === 'CatalogSource') return textOf(spec.image);
  if (kind !== 'ClusterCatalog' || !isObject(spec.source)) return undefined;
  return isObject(spec.source.image) ? textOf(spec.source.image.ref) : undefined;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

function* pullSpecs(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* pullSpecs(item);
  if (!isObject(value)) return;
  if (RELATED_IMAGE.test(String(value.name)) && typeof value.value === 'string') yield value.value;
  for (const [key, inner] of Object.entries(value)) {
    if (IMAGE_FIELDS.has(key) && typeof inner === 'string') yield inner;
    else yield* pullSpecs(inner);
  }
}

/** `host/path` with a dot or port in the host: everything else is a name inside the cluster. */
const HAS_HOST = /^[^/\s]+[.:][^/\s]*\/\S+$/;

function wanted(kind: 'catalog' | 'additional', text: string, reason: string): WantedImage[] {
  if (!HAS_HOST.test(text)) return [];
  try {
    return [wantedImage(kind, text, reason)];
  } catch {
    return [];
  }
}
