import * as z from 'zod';
import type { ContentImage } from '../../content/content-image.ts';
import type { ImageSet, OperatorCatalog } from '../../content/image-set/image-set.ts';
import { AtollError } from '../../core/errors.ts';
import { readText } from '../../core/files.ts';
import { readYaml } from '../../core/yaml.ts';
import type { CatalogSource } from '../../generate/cluster/catalogs.ts';

/** A CatalogSource of the user: everything but name, namespace, type and image stays. */
export type CatalogTemplate = Readonly<Record<string, unknown>>;

/** Made where there is a template: every run comes by here. */
const templateSchema = () =>
  z.looseObject({
    apiVersion: z.literal('operators.coreos.com/v1alpha1'),
    kind: z.literal('CatalogSource'),
    metadata: z.looseObject({}).optional(),
    spec: z
      .looseObject({
        sourceType: z.literal(['', 'grpc']).optional(),
        configMap: z.undefined().optional(),
      })
      .optional(),
  });

/** The templates an image set names, read and checked before anything is copied. */
export async function readCatalogTemplates(
  set: ImageSet,
): Promise<(image: ContentImage) => CatalogTemplate | undefined> {
  const templates = new Map<OperatorCatalog, CatalogTemplate>();
  for (const operator of set.operators) {
    const path = operator.targetCatalogSourceTemplate;
    if (path !== undefined) templates.set(operator, await readTemplate(path));
  }
  return (image) => {
    if (image.kind !== 'catalog') return undefined;
    const operator = set.operators.find((each) => isFor(each, image));
    return operator && templates.get(operator);
  };
}

function isFor({ catalog, targetCatalog, targetTag }: OperatorCatalog, image: ContentImage) {
  return (
    catalog === image.catalog &&
    (targetCatalog === undefined || targetCatalog === image.targetRepository) &&
    (targetTag === undefined || targetTag === image.targetTag)
  );
}

async function readTemplate(path: string): Promise<CatalogTemplate> {
  const documents = readYaml(await readText(path), `"${path}"`);
  const parsed = templateSchema().safeParse(documents[0]);
  if (documents.length === 1 && parsed.success) return parsed.data;
  const issue = parsed.error?.issues[0];
  const found = issue
    ? `${issue.path.join('.') || 'document'}: ${issue.message}`
    : `it holds ${documents.length} documents`;
  throw new AtollError('INPUT_INVALID', `Cannot use the catalog template "${path}": ${found}`, {
    hint: 'Write one CatalogSource (operators.coreos.com/v1alpha1) of type grpc, without a configMap',
  });
}

/** The template with what the mirror decides. */
export function fillTemplate(
  template: CatalogTemplate | undefined,
  own: CatalogSource,
): CatalogSource {
  if (!template) return own;
  const { metadata, spec } = templateSchema().parse(template);
  return {
    ...own,
    metadata: { ...metadata, ...own.metadata },
    spec: { ...spec, ...own.spec },
  };
}
