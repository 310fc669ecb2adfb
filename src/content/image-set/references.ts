import { AtollError, messageOf } from '../../core/errors.ts';
import { parseReference, type Reference } from '../../oci/reference.ts';

/** What is wrong with a value, and what to write instead. */
export interface Wrong {
  readonly wrong: string;
  readonly hint?: string | undefined;
}

/** Where an image or a catalog comes from. */
export type CatalogOrigin =
  | { readonly kind: 'registry'; readonly reference: Reference }
  | { readonly kind: 'layout'; readonly path: string };

const LAYOUT = /^oci:(?:\/\/)?(?<path>\/[^/].*)$/;
const TRANSPORT = /^docker:\/\//;

/** What an image name in the file means, or what is wrong with it. */
export function readOrigin(name: string): CatalogOrigin | Wrong {
  const layout = LAYOUT.exec(name)?.groups?.path;
  if (layout) return { kind: 'layout', path: layout };
  if (name.startsWith('oci:')) {
    return { wrong: `"${name}" is not an absolute path`, hint: 'write "oci:///path/to/layout"' };
  }
  const reference = readPullSpec(name);
  return 'wrong' in reference ? reference : { kind: 'registry', reference };
}

/** A reference with a host, and a tag or a digest: nothing is guessed. */
export function readPullSpec(name: string): Reference | Wrong {
  const bare = name.replace(TRANSPORT, '');
  const host = bare.split('/')[0] ?? '';
  if (!bare.includes('/') || !(/[.:]/.test(host) || host === 'localhost')) {
    const hint = 'name the registry, such as "docker.io/library/busybox:1.37"';
    return { wrong: `"${name}" has no registry host`, hint };
  }
  try {
    const reference = parseReference(bare);
    if (reference.tag !== undefined || reference.digest !== undefined) return reference;
    return { wrong: `"${name}" has neither tag nor digest`, hint: 'add one, such as ":v4.18"' };
  } catch (error) {
    const hint = error instanceof AtollError ? error.hint : undefined;
    return { wrong: messageOf(error), hint: hint ?? 'write it as "registry/repository:tag"' };
  }
}
