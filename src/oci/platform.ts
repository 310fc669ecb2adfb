import { AtollError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import type { Descriptor, Platform } from './descriptor.ts';

/** What image indexes call an architecture (Go's names), and what RPM and the kernel call it. */
export const ARCHITECTURES = {
  amd64: 'x86_64',
  arm64: 'aarch64',
  ppc64le: 'ppc64le',
  s390x: 's390x',
} as const;

export type Architecture = keyof typeof ARCHITECTURES;

const NAME = /^[a-z0-9_.-]+$/i;
/** Where a variant is the one everybody means, leaving it out is the same. */
const DEFAULT_VARIANTS: Readonly<Record<string, string>> = { arm64: 'v8', arm: 'v7' };

export function isArchitecture(text: string): text is Architecture {
  return Object.hasOwn(ARCHITECTURES, text);
}

/** Accepts both spellings (`amd64`, `x86_64`) of the architectures OpenShift runs on. */
export function parseArchitecture(text: string): Architecture {
  const known = Object.entries(ARCHITECTURES) as [Architecture, string][];
  const found = known.find(([go, rpm]) => text === go || text === rpm);
  if (found) return found[0];
  const close = nearest(text, known.flat());
  throw new AtollError('INPUT_INVALID', `Cannot use the architecture "${text}": it is not known`, {
    hint: close
      ? `Did you mean "${close}"?`
      : `Use one of ${Object.keys(ARCHITECTURES).join(', ')}`,
  });
}

export const rpmArchitecture = (architecture: Architecture): string => ARCHITECTURES[architecture];

/** Parses `os/architecture[/variant]`; a lone architecture means Linux. */
export function parsePlatform(text: string): Platform {
  const parts = text.includes('/') ? text.split('/') : ['linux', text];
  const [os = '', architecture = '', variant] = parts;
  if (parts.length > 3 || !parts.every((part) => NAME.test(part))) {
    throw new AtollError('INPUT_INVALID', `Cannot parse platform "${text}"`, {
      hint: 'Write it as "linux/amd64" or "linux/arm64/v8"',
    });
  }
  const go = Object.entries(ARCHITECTURES).find(([, rpm]) => rpm === architecture)?.[0];
  return { os, architecture: go ?? architecture, ...(variant === undefined ? {} : { variant }) };
}

export function formatPlatform({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');
}

/** Whether an image for `offered` runs where `wanted` is asked for. */
export function matchesPlatform(wanted: Platform, offered: Platform | undefined): boolean {
  if (offered?.os !== wanted.os || offered.architecture !== wanted.architecture) return false;
  if (wanted.variant === undefined) return true;
  return variantOf(offered) === variantOf(wanted);
}

function variantOf({ architecture, variant }: Platform): string {
  return variant || (DEFAULT_VARIANTS[architecture] ?? '');
}

/**
 * The children of an index for any of these platforms, in the order of the index. What belongs
 * to no platform (a nested index, an attestation) is kept only if `keepOthers` says so.
 */
export function selectPlatforms(
  children: readonly Descriptor[],
  platforms: readonly Platform[],
  keepOthers = false,
): readonly Descriptor[] {
  return children.filter(({ platform }) =>
    isNoPlatform(platform)
      ? keepOthers
      : platforms.some((wanted) => matchesPlatform(wanted, platform)),
  );
}

/** Attestations sit in indexes as `unknown/unknown`. */
function isNoPlatform(platform: Platform | undefined): boolean {
  return platform === undefined || platform.os === 'unknown';
}
