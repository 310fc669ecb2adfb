import { byFirst } from '../../core/order.ts';
import { idOf, type KubeObject, keyOf } from '../api/object.ts';

/**
 * Objects go to a cluster in steps: trust before the mirrors that need it, mirrors before the
 * catalogs that come through them. After a step that touches nodes, the pools are waited for.
 */
export const APPLY_STEPS = ['trust', 'mirrors', 'catalogs', 'content'] as const;
export type ApplyStep = (typeof APPLY_STEPS)[number];

const CONFIG = 'config.openshift.io';
const STEP_OF: Readonly<Record<string, ApplyStep>> = {
  '|Namespace': 'trust',
  [`${CONFIG}|Image`]: 'trust',
  [`${CONFIG}|ImageDigestMirrorSet`]: 'mirrors',
  [`${CONFIG}|ImageTagMirrorSet`]: 'mirrors',
  'operator.openshift.io|ImageContentSourcePolicy': 'mirrors',
  'machineconfiguration.openshift.io|MachineConfig': 'mirrors',
  // Rewrites policy.json on nodes, as mirrors rewrite registries.conf.
  [`${CONFIG}|ClusterImagePolicy`]: 'mirrors',
  [`${CONFIG}|ImagePolicy`]: 'mirrors',
  // Off before ours come: two catalogs with one package are a choice nobody made.
  [`${CONFIG}|OperatorHub`]: 'mirrors',
  'operators.coreos.com|CatalogSource': 'catalogs',
  'olm.operatorframework.io|ClusterCatalog': 'catalogs',
};

export function stepOf(object: KubeObject): ApplyStep {
  const { apiVersion, kind, metadata } = object;
  const group = apiVersion.split('/').at(-2) ?? '';
  // The ConfigMap with the CAs of registries is there before the object that names it.
  if (kind === 'ConfigMap' && metadata.namespace === 'openshift-config') return 'trust';
  return STEP_OF[`${group}|${kind}`] ?? 'content';
}

/** Within a step: namespaces and ConfigMaps before what names them, the rest by name. */
const FIRST = ['Namespace', 'ConfigMap'];

export function inOrder(objects: readonly KubeObject[]): KubeObject[] {
  const rank = (object: KubeObject): string => {
    const step = APPLY_STEPS.indexOf(stepOf(object));
    const first = FIRST.indexOf(object.kind);
    return `${step}|${first < 0 ? FIRST.length : first}|${idOf(keyOf(object))}`;
  };
  return objects
    .map((object): [string, KubeObject] => [rank(object), object])
    .toSorted(byFirst)
    .map(([, object]) => object);
}
