import { type Comparison, firstMatch } from './comparison.ts';

const REFUSED = /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b/i;
const SELINUX = /avc: +denied +\{ (?<right>[^}]+) \} for (?!.*permissive=1)(?<rest>.*tcontext=.*)/;
const FIELDS = {
  who: /\bcomm="([^"]+)"/,
  what: /\b(?:path|name)="([^"]+)"/,
  from: /\bscontext=\S+?:(\w+_t)\b/,
  to: /\btcontext=\S+?:(\w+_t)\b/,
} as const;
const APPARMOR =
  /apparmor="DENIED" operation="(?<right>[^"]+)".*? profile="(?<from>[^"]+)"(?: name="(?<what>[^"]+)")?/;

/** Who is refused something hears only that; the audit log beside it tells by whom. */
export const deniedByPolicy: Comparison = (lines) => {
  const refused = lines.find(
    ({ text }) => REFUSED.test(text) && !SELINUX.test(text) && !APPARMOR.test(text),
  );
  const denial = refused && (firstMatch(lines, SELINUX) ?? firstMatch(lines, APPARMOR));
  if (!refused || !denial) return undefined;
  const { right, who, what, from, to } = saidOf(denial.match.groups ?? {});
  const by = to === undefined ? 'AppArmor' : 'SELinux';
  const whose = who === undefined ? from : `${who} (${from})`;
  const of = what === undefined ? (to ?? 'it') : `${what}${to === undefined ? '' : ` (${to})`}`;
  return {
    id: 'compared-denied-by-policy',
    cause: `${by} refuses it, as the audit log beside it shows: ${whose} may not ${right?.trim()} ${of}`,
    remedy:
      to === undefined
        ? 'Keep the file where the profile allows it, or allow it in the local part of the profile and load that again'
        : 'Give the file the label of its place ("restorecon -Rv"), mount it into containers with :z, or set the boolean that "audit2why" names',
    evidence: [refused, denial.line],
    decides:
      /says-selinux|access-denied|unit-set-up|file-denied|permission|not-permitted|read-denied/,
  };
};

interface Denied {
  readonly right?: string | undefined;
  readonly who?: string | undefined;
  readonly what?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** SELinux has its fields in any order. */
function saidOf({ right, rest, what, from }: Record<string, string | undefined>): Denied {
  if (rest === undefined) return { right, what, from };
  const field = (name: keyof typeof FIELDS) => FIELDS[name].exec(rest)?.[1];
  return { right, who: field('who'), what: field('what'), from: field('from'), to: field('to') };
}
