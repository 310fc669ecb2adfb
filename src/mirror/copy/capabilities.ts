import type {
  FindingSource,
  MountTarget,
  PreparedTarget,
  ReferrersSource,
  ResumableTarget,
  RootTarget,
  Source,
  TagSource,
} from '../../oci/content.ts';

const can = (thing: object, method: string): boolean =>
  typeof (thing as Record<string, unknown>)[method] === 'function';

export const canFind = (source: object): source is FindingSource => can(source, 'find');
export const hasReferrers = (source: object): source is ReferrersSource => can(source, 'referrers');
export const hasTags = (source: object): source is TagSource => can(source, 'tags');
export const isMountTarget = (target: object): target is MountTarget => can(target, 'mount');
export const isRootTarget = (target: object): target is RootTarget => can(target, 'setRoot');
export const isPrepared = (target: object): target is PreparedTarget => can(target, 'prepare');
export const isResumable = (target: object): target is ResumableTarget =>
  can(target, 'partial') && can(target, 'putRest');
/** A target that can be read as well: a repository, a layout. */
export const isSource = (target: object): target is Source =>
  can(target, 'resolve') && can(target, 'manifest') && can(target, 'blob');

interface Located {
  readonly registry: string;
  readonly repository: string;
}

/** Where a repository of a registry is; undefined for everything else. */
export function locationOf(thing: object): Located | undefined {
  const { registry, repository } = thing as Partial<Located>;
  return typeof registry === 'string' && typeof repository === 'string'
    ? { registry, repository }
    : undefined;
}
