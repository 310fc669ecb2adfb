import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../core/error-codes.ts';
import { AtollError } from '../../core/errors.ts';
import { counts, matchLine } from '../../observe/match-line.ts';
import { shippedRules } from '../../observe/rules/catalogue.ts';
import { parseReference } from '../../oci/reference.ts';
import { diskFullText, pullErrorText } from './container-error.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const SOURCE = parseReference(`quay.io/openshift-release-dev/ocp-release@${DIGEST}`);
const MIRROR = parseReference(`mirror.example:5000/openshift/release-images@${DIGEST}`);

const failure = (code: ErrorCode, mirror: boolean) => ({
  reference: mirror ? MIRROR : SOURCE,
  mirror,
  error: new AtollError(code, 'it failed'),
});

/** What is said where no other line bears a rule out. */
const rulesFor = (origin: string, text: string) =>
  matchLine(
    shippedRules().filter(({ appliesTo, regexp }) => regexp && appliesTo(origin)),
    text,
  )
    .filter((match) => counts(match, new Set()))
    .map(({ rule }) => rule.id);

describe('pullErrorText', () => {
  const causes: readonly (readonly [ErrorCode, string])[] = [
    ['TLS_UNTRUSTED', 'boot-pull-x509'],
    ['REGISTRY_DENIED', 'boot-pull-unauthorized'],
    ['TOKEN_EXPIRED', 'boot-pull-unauthorized'],
    ['IMAGE_UNKNOWN', 'boot-mirror-missing-image'],
    ['NAME_UNRESOLVED', 'boot-mirror-dns'],
    ['REGISTRY_UNAVAILABLE', 'boot-mirror-unreachable'],
  ];

  test.each(causes)('has words for %s by which the catalogue knows %s', (code, rule) => {
    const text = pullErrorText(SOURCE, [failure(code, true), failure('REGISTRY_BLOCKED', false)]);

    expect(rulesFor('journal:bootstrap/release-image', `Error: ${text}`)).toEqual([rule]);
  });

  test('names every mirror that was tried, each with its own cause', () => {
    const text = pullErrorText(SOURCE, [
      failure('IMAGE_UNKNOWN', true),
      failure('TLS_UNTRUSTED', true),
      failure('REGISTRY_BLOCKED', false),
    ]);

    expect(text).toMatch(
      /\(Mirrors also failed: \[mirror.*manifest unknown\] \[mirror.*x509.*\]\)/,
    );
    expect(text).toMatch(/registry quay.io is blocked in \/etc\/containers\/registries.conf$/);
  });

  test('is plain where there is no mirror', () => {
    const text = pullErrorText(SOURCE, [failure('NAME_UNRESOLVED', false)]);

    expect(text).not.toContain('Mirrors');
    expect(rulesFor('journal:bootstrap/release-image', text)).toEqual([
      'boot-pull-bypasses-mirror',
    ]);
  });
});

test('diskFullText is what the catalogue knows as a full disk', () => {
  expect(rulesFor('journal:bootstrap/bootkube', diskFullText(DIGEST))).toEqual(['boot-disk-full']);
});
