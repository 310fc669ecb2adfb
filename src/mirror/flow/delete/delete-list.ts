import * as z from 'zod';
import type { ContentKind } from '../../../content/content-image.ts';
import { AtollError } from '../../../core/errors.ts';
import { readTextIfPresent, writeFileAtomic } from '../../../core/files.ts';
import { by } from '../../../core/order.ts';
import { readYaml, toYaml } from '../../../core/yaml.ts';
import { formatReference } from '../../../oci/reference.ts';
import type { WorkingDir } from '../working-dir.ts';
import { type DeletePlan, targetsOf } from './plan-delete.ts';

/** The words oc-mirror has for what an image is. */
const TYPES: Readonly<Record<ContentKind, string>> = {
  release: 'ocpRelease',
  component: 'ocpReleaseContent',
  kubevirt: 'kubeVirtContainer',
  graph: 'cincinnatiGraph',
  catalog: 'operatorCatalog',
  bundle: 'operatorBundle',
  related: 'operatorRelatedImage',
  additional: 'generic',
  helm: 'helmImage',
  file: 'generic',
};

const schema = z.object({
  kind: z.literal('DeleteImageList'),
  items: z.array(z.object({ imageReference: z.string() })),
});

const fileOf = (workingDir: WorkingDir) => workingDir.file('delete', 'delete-images.yaml');

/** Writes the list of what would go, in the form oc-mirror gives it. */
export async function writeDeleteList(workingDir: WorkingDir, plan: DeletePlan): Promise<string> {
  const items = plan.deleted.map(({ image: { image, target } }) => ({
    imageName: formatReference(image.source),
    imageReference: `docker://${formatReference(target)}`,
    type: TYPES[image.kind],
  }));
  const list = {
    apiVersion: 'mirror.openshift.io/v2alpha1',
    kind: 'DeleteImageList',
    items: items.toSorted(by(({ imageReference }) => imageReference)),
  };
  const path = fileOf(workingDir);
  await writeFileAtomic(path, toYaml(list));
  return path;
}

/** Throws unless exactly this plan was written for the operator to look at before. */
export async function requireSeen(workingDir: WorkingDir, plan: DeletePlan): Promise<void> {
  const path = fileOf(workingDir);
  const text = await readTextIfPresent(path);
  const parsed = schema.safeParse(text === undefined ? undefined : readYaml(text, `"${path}"`)[0]);
  const again = 'Run the same command without --execute, look at the list, then run this again';
  if (!parsed.success) {
    throw new AtollError('PLAN_CHANGED', `Cannot delete: there is no list at "${path}"`, {
      hint: again,
    });
  }
  const seen = parsed.data.items.map(({ imageReference }) =>
    imageReference.replace(/^docker:\/\//, ''),
  );
  if (seen.toSorted().join('\n') === targetsOf(plan).join('\n')) return;
  throw new AtollError('PLAN_CHANGED', `Cannot delete: "${path}" is not what would go now`, {
    hint: again,
  });
}
