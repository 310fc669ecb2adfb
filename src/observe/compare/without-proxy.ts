import { PROMPT } from '../place-line.ts';
import type { Comparison } from './comparison.ts';

const UNSET = /\bunset\b.*\b(?:https?|all)_proxy\b|--noproxy\b|\bNO_PROXY=/i;
const REFUSED =
  /\bfrom proxy after CONNECT\b|\bHTTP\/[\d.]+ (?:403|407|50[234])\b|\bProxy\b.{0,60}\b(?:403|407|50[234])\b/i;
const ANSWERED = /^<? ?HTTP\/[\d.]+ (?:2\d\d|30\d|401)\b|\b200 OK\b/;

/** Whoever asks once more without the proxy, and is answered, knows that the proxy was in the way. */
export const withoutProxy: Comparison = (lines) => {
  const at = lines.findIndex(({ text }) => UNSET.test(text) && PROMPT.test(text));
  const refused = at < 0 ? undefined : lines.slice(0, at).find(({ text }) => REFUSED.test(text));
  const answered = refused && lines.slice(at + 1).find(({ text }) => ANSWERED.test(text));
  if (!refused || !answered) return undefined;
  return {
    id: 'compared-without-proxy',
    cause:
      'It is reached without the proxy, and not through it: the proxy has no way there, and the name is not among those that go past it',
    remedy:
      'Add the name or its domain to the exceptions (noProxy of install-config or of "oc edit proxy/cluster", NO_PROXY)',
    evidence: [refused, answered],
    decides: /proxy|server-fails|unreachable|unanswered/,
  };
};
