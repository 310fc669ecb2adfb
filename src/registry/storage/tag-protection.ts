import { matchesPattern } from '../../core/wildcard.ts';

/** Whether `repository:tag` is one that stays as it is. */
export type TagProtection = (repository: string, tag: string) => boolean;

/** From patterns such as `ocp/release:*`, in which `*` is any text. */
export function protectTags(patterns: readonly string[]): TagProtection {
  return (repository, tag) =>
    patterns.some((pattern) => matchesPattern(pattern, `${repository}:${tag}`));
}
