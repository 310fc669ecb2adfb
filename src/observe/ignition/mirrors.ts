import { parse } from 'smol-toml';
import * as z from 'zod';
import { AtollError, messageOf } from '../../core/errors.ts';

/** One `[[registry]]` of registries.conf. */
export interface MirrorRule {
  readonly source: string;
  readonly mirrors: readonly string[];
  readonly digestOnly: boolean;
  readonly blocked: boolean;
  readonly insecure: boolean;
}

const FLAG = z.boolean().optional();
const SCHEMA = z.looseObject({
  registry: z
    .array(
      z.looseObject({
        prefix: z.string().optional(),
        location: z.string().optional(),
        'mirror-by-digest-only': FLAG,
        blocked: FLAG,
        insecure: FLAG,
        mirror: z
          .array(
            z.looseObject({
              location: z.string(),
              insecure: FLAG,
              'pull-from-mirror': z.string().optional(),
            }),
          )
          .optional(),
      }),
    )
    .optional(),
});

export function parseMirrorRules(name: string, text: string): MirrorRule[] {
  try {
    return (SCHEMA.parse(parse(text)).registry ?? []).map((registry) => {
      const mirrors = registry.mirror ?? [];
      const perMirror =
        mirrors.length > 0 && mirrors.every((one) => one['pull-from-mirror'] === 'digest-only');
      return {
        source: registry.prefix || registry.location || '',
        mirrors: mirrors.map(({ location }) => location),
        digestOnly: registry['mirror-by-digest-only'] === true || perMirror,
        blocked: registry.blocked === true,
        insecure: registry.insecure === true || mirrors.some((one) => one.insecure === true),
      };
    });
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot read "${name}": ${messageOf(cause)}`, { cause });
  }
}

/** The rule that applies to an image: the longest source that is a prefix of it, whole parts only. */
export function ruleFor(rules: readonly MirrorRule[], image: string): MirrorRule | undefined {
  return rules
    .filter(({ source }) => covers(source, image))
    .toSorted((a, b) => b.source.length - a.source.length)[0];
}

function covers(source: string, image: string): boolean {
  if (source.startsWith('*.')) return hostOf(image).endsWith(source.slice(1));
  return image === source || (image.startsWith(source) && /[/:@]/.test(image[source.length] ?? ''));
}

/** `host[:port]` of an image or of the location of a mirror. */
export const hostOf = (location: string): string => location.split('/')[0] ?? '';
