import { AtollError } from '../../core/errors.ts';
import { yamlDocuments } from '../../core/yaml.ts';
import { parseJsonPath } from './json-path.ts';

const POD_SPECS = [
  '.spec',
  '.spec.template.spec',
  '.spec.jobTemplate.spec.template.spec',
  '.template.spec',
];
const LISTS = ['containers', 'initContainers', 'ephemeralContainers'];

/** Where Kubernetes keeps images: pods, everything with a pod template, and cron jobs. */
const USUAL_PATHS = POD_SPECS.flatMap((spec) => LISTS.map((list) => `${spec}.${list}[*].image`));

/** Operators are told in variables which images they shall start. */
const ENV_PATHS = POD_SPECS.flatMap((spec) => LISTS.map((list) => `${spec}.${list}[*].env[*]`)).map(
  parseJsonPath,
);
const IMAGE_NAME = /(?:^|_)IMAGES?(?:_|$)/i;
/** Only what is an image beyond doubt: a host, a path, and a tag or digest. */
const IMAGE_VALUE =
  /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost)(?::\d+)?(?:\/[a-z0-9._-]+)+(?::[\w.-]+|@sha256:[0-9a-f]{64}|:[\w.-]+@sha256:[0-9a-f]{64})$/;

function envImage(variable: unknown): string[] {
  const { name, value } = (variable ?? {}) as { name?: unknown; value?: unknown };
  if (typeof name !== 'string' || typeof value !== 'string') return [];
  return IMAGE_NAME.test(name) && IMAGE_VALUE.test(value.trim()) ? [value] : [];
}

/** An image that a rendered object refers to. */
export interface ChartImage {
  readonly image: string;
  /** `Deployment/web`: the first object that has it. */
  readonly object: string;
}

/** The images in rendered templates, each once, in the order they are found. */
export function renderedImages(
  yaml: string,
  imagePaths: readonly string[] = [],
): readonly ChartImage[] {
  const paths = [...USUAL_PATHS, ...imagePaths].map(parseJsonPath);
  const found = new Map<string, ChartImage>();
  for (const object of objectsOf(yaml)) {
    const named = paths.flatMap((path) => [...path(object)]);
    const values = [...named, ...ENV_PATHS.flatMap((path) => [...path(object)].flatMap(envImage))];
    for (const value of values) {
      const image = typeof value === 'string' ? value.trim() : '';
      if (image !== '' && !found.has(image)) found.set(image, { image, object: nameOf(object) });
    }
  }
  return [...found.values()];
}

/** Every object, with those inside of lists. */
function objectsOf(yaml: string): readonly unknown[] {
  return yamlDocuments(yaml, 'lenient').flatMap((document) => {
    const { error } = document;
    if (error) {
      throw new AtollError(
        'INPUT_INVALID',
        `Cannot read the rendered chart: ${error.message.split('\n')[0]}`,
        {
          hint: 'Look at what "helm template" prints for it',
        },
      );
    }
    return withItems(document.value());
  });
}

function withItems(object: unknown): readonly unknown[] {
  const { kind, items } = (object ?? {}) as { kind?: unknown; items?: unknown };
  const isList = typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
  return isList ? (items as unknown[]).flatMap(withItems) : [object];
}

function nameOf(object: unknown): string {
  const { kind, metadata } = (object ?? {}) as { kind?: unknown; metadata?: { name?: unknown } };
  return `${String(kind ?? 'object')}/${String(metadata?.name ?? '')}`;
}
