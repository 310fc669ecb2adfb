import { toYaml } from '../../core/yaml.ts';
import { catalogName, catalogSource, clusterCatalog } from '../../generate/cluster/catalogs.ts';
import { updateService } from '../../generate/cluster/cluster-version.ts';
import type { SignatureDocument } from '../../generate/cluster/release-signatures.ts';
import { releaseSignatures } from '../../generate/cluster/release-signatures.ts';
import type { MirrorRule } from '../../generate/mirror-rule.ts';
import {
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imageTagMirrorSet,
} from '../../generate/mirror-sets.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import {
  type GroupedRules,
  type ImageRules,
  imageRules,
  type MirroredImage,
  type RuleGroup,
} from '../image-rules.ts';
import { fillTemplate } from './catalog-template.ts';
import type { OtherMirrors } from './other-mirrors.ts';

export interface ResourceOptions {
  /** ImageContentSourcePolicy for old clusters, instead of the two newer kinds. */
  readonly icsp?: boolean | undefined;
  /** Other mirrors with the same content: rules name them after the one they stand in for. */
  readonly others?: readonly OtherMirrors[] | undefined;
}

/** Names that earlier runs gave to the objects of catalogs, by `cs IMAGE` and `cc IMAGE`. */
export type CatalogNames = ReadonlyMap<string, string>;

/** Most characters of a repository in the name of an object: the whole stays below 63. */
const MOST_OF_NAME = 40;

const GROUPS: readonly RuleGroup[] = ['release', 'operator', 'generic'];

/** Names of files this writes; others in the folder are the user's. */
export const RESOURCE_FILE =
  /^(?:(?:idms|itms|icsp)-oc-mirror|(?:cs|cc)-[a-z0-9-]+|updateService|signature-configmap)\.yaml$/;

/**
 * What to apply to the cluster, by file name: made from all that is in the mirror, so a later run
 * adds to an earlier one. Same images and earlier names, same bytes.
 */
export function clusterResources(
  images: readonly MirroredImage[],
  signatures: readonly SignatureDocument[],
  options: ResourceOptions = {},
  earlier: CatalogNames = new Map(),
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const add = (name: string, objects: readonly object[]) => {
    if (objects.length > 0) files.set(name, toYaml(...objects));
  };
  addMirrorSets(images, options, add);
  for (const object of catalogObjects(images, earlier))
    add(`${object.metadata.name}.yaml`, [object]);
  add('updateService.yaml', updateServices(images));
  if (signatures.length > 0) add('signature-configmap.yaml', [releaseSignatures(signatures)]);
  return files;
}

/** Both kinds of catalog objects, each catalog under a name of its own. */
function catalogObjects(images: readonly MirroredImage[], earlier: CatalogNames) {
  const catalogs = images.filter(({ image }) => image.kind === 'catalog');
  const nameFor = namesBeside(catalogs, earlier);
  return catalogs.flatMap(({ target, catalogTemplate }) => {
    const image = formatReference(target);
    const source = catalogSource({ image, name: nameFor('cs', target) });
    return [
      fillTemplate(catalogTemplate, source),
      clusterCatalog({ image, name: nameFor('cc', target) }),
    ];
  });
}

/** A name once given stays with its catalog; another catalog that would get it gets a number. */
function namesBeside(catalogs: readonly MirroredImage[], earlier: CatalogNames) {
  const known = (prefix: 'cs' | 'cc', target: Reference) =>
    earlier.get(`${prefix} ${formatReference(target)}`);
  const taken = new Set(
    catalogs.flatMap(({ target }) => [known('cs', target), known('cc', target)]),
  );
  return (prefix: 'cs' | 'cc', target: Reference): string => {
    const given = known(prefix, target);
    if (given !== undefined) return given;
    const name = catalogName(prefix, formatReference(shortened(target)));
    let free = name;
    for (let count = 1; taken.has(free); count += 1) free = `${name}-${count}`;
    taken.add(free);
    return free;
  };
}

/** Names of objects are shorter than those of repositories may be. */
function shortened(target: Reference): Reference {
  const last = target.repository.split('/').at(-1) ?? '';
  return { ...target, repository: last.slice(0, MOST_OF_NAME).replace(/[._-]+$/, '') };
}

type Add = (name: string, objects: readonly object[]) => void;

function addMirrorSets(images: readonly MirroredImage[], options: ResourceOptions, add: Add): void {
  const { icsp } = options;
  const { byDigest, byTag } = rulesWith(images, options);
  const digestGroups = GROUPS.filter((group) => byDigest[group].length > 0);
  const tagGroups = GROUPS.filter((group) => byTag[group].length > 0);
  if (icsp) {
    add(
      'icsp-oc-mirror.yaml',
      digestGroups.map((group) => imageContentSourcePolicy(`${group}-0`, byDigest[group])),
    );
    return;
  }
  add(
    'idms-oc-mirror.yaml',
    digestGroups.map((group) => imageDigestMirrorSet(`idms-${group}-0`, byDigest[group])),
  );
  add(
    'itms-oc-mirror.yaml',
    tagGroups.map((group) => imageTagMirrorSet(`itms-${group}-0`, byTag[group])),
  );
}

/** The rules, with every other mirror beside the one that is known. */
function rulesWith(images: readonly MirroredImage[], { others = [] }: ResourceOptions): ImageRules {
  const rules = imageRules(images);
  if (others.length === 0) return rules;
  const standIns = (mirror: string) =>
    others
      .filter(({ of: home }) => mirror.startsWith(`${home}/`))
      .flatMap(({ of: home, mirrors }) => mirrors.map((each) => each + mirror.slice(home.length)));
  const all = (mirror: string) => [mirror, ...standIns(mirror)];
  const wider = (list: readonly MirrorRule[]) =>
    list.map((rule) => ({ ...rule, mirrors: rule.mirrors.flatMap(all) }));
  const widened = ({ release, operator, generic }: GroupedRules): GroupedRules => ({
    release: wider(release),
    operator: wider(operator),
    generic: wider(generic),
  });
  return { byDigest: widened(rules.byDigest), byTag: widened(rules.byTag) };
}

function updateServices(images: readonly MirroredImage[]): object[] {
  const graph = images.find(({ image }) => image.kind === 'graph');
  const release = images.find(({ image }) => image.kind === 'release');
  if (!graph || !release) return [];
  return [
    updateService({
      name: 'update-service-oc-mirror',
      releases: `${release.target.registry}/${release.target.repository}`,
      graphDataImage: formatReference(graph.target),
    }),
  ];
}

/** The part of an install-config that leads a new cluster to the mirror; empty without a release. */
export function installConfigPart(
  images: readonly MirroredImage[],
  options: ResourceOptions = {},
): string {
  const { icsp } = options;
  const rules = rulesWith(images, options).byDigest.release;
  if (rules.length === 0) return '';
  const sources = rules.map(({ source, mirrors }) => ({ source, mirrors }));
  return toYaml({ [icsp ? 'imageContentSources' : 'imageDigestSources']: sources });
}

/** Images that nodes pull by tag: the older kind of policy cannot lead them to the mirror. No release is. */
export function pulledByTag(images: readonly MirroredImage[]): string[] {
  const { byTag } = imageRules(images);
  return GROUPS.filter((group) => group !== 'release').flatMap((group) =>
    byTag[group].map(({ source }) => source),
  );
}
