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
    for (const value of paths.flatMap((path) => [...path(object)])) {
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
