import { AtollError } from '../../../core/errors.ts';
import { isTag, parseReference, type Reference } from '../../../oci/reference.ts';

/** Placeholders in the tag of `--to`. */
const VERSION = `$\{version}`;
const COMPONENT = `$\{component}`;

export interface ReleaseTargets {
  readonly release: Reference;
  readonly component: (name: string) => Reference;
}

export interface TargetOptions {
  /** `HOST/REPOSITORY`, or with a tag that holds `${component}`. */
  readonly to: string;
  readonly toReleaseImage?: string | undefined;
  /** `4.18.1-x86_64`. */
  readonly tag: string;
  readonly version: string;
}

/** Names as `oc adm release mirror` gives them: all in one repository, told apart by their tags. */
export function releaseTargets({
  to,
  toReleaseImage,
  tag,
  version,
}: TargetOptions): ReleaseTargets {
  const pattern = patternOf(to);
  const named = (component: string | undefined): Reference => {
    const full = component === undefined ? tag : `${tag}-${component}`;
    const filled = pattern.tag
      ?.replaceAll(VERSION, version)
      .replaceAll(COMPONENT, component ?? 'release');
    return { ...pattern.place, tag: checkedTag(filled ?? full) };
  };
  return {
    release: toReleaseImage === undefined ? named(undefined) : releaseReference(toReleaseImage),
    component: named,
  };
}

function patternOf(to: string): { place: Reference; tag: string | undefined } {
  const text = to.replace(/^docker:\/\//, '');
  const [, name = text, tag] = /^(.*\/[^:]*):(.+)$/.exec(text) ?? [];
  const { digest, ...place } = parseReference(name);
  const isUsable = digest === undefined && name.includes('/') && !/\$\{/.test(name);
  if (isUsable && (tag === undefined || tag.includes(COMPONENT))) return { place, tag };
  throw new AtollError('REFERENCE_INVALID', `Cannot mirror a release to "${to}"`, {
    hint: `Write HOST/REPOSITORY without a tag, or with one that holds ${COMPONENT}`,
  });
}

function releaseReference(text: string): Reference {
  const reference = parseReference(text.replace(/^docker:\/\//, ''));
  if (reference.tag !== undefined && reference.digest === undefined) return reference;
  throw new AtollError('REFERENCE_INVALID', `Cannot put the release image at "${text}"`, {
    hint: 'Write HOST/REPOSITORY:TAG',
  });
}

function checkedTag(tag: string): string {
  if (isTag(tag)) return tag;
  throw new AtollError('REFERENCE_INVALID', `Cannot use the tag "${tag}"`);
}
