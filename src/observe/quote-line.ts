import { REDACTED, redact } from '../core/redact.ts';

/** Whole sequences for terminals: colours, cursor, titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they start with.
const TERMINAL = /\x1b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)/g;
/** Other characters that are not seen but do something, some of which turn text around. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of others as it may be shown on a terminal: on one line, and only what can be seen. */
export function printable(text: string): string {
  return text
    .replace(TERMINAL, '')
    .replace(/[\t\r\n]+/g, ' ')
    .replace(UNSEEN, '?');
}

const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gs;
const TOKEN = /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*|\bsha256~[\w-]{20,}/g;
/** `"auth":"…"` as it stands in a log that quotes it once more. */
const QUOTED =
  /(\\+"(?:auth|password|identitytoken|registrytoken|secret|token)\\+"\s*:\s*\\+")[^"\\]*/gi;
const OPTION = /(--(?:(?:src|dest)-)?(?:creds|password|token|secret-key)[= ]+)[^\s"']+/gi;
/** `password=…`, `AWS_SECRET_ACCESS_KEY: …`. Words of prose after a colon have no digit. */
const ASSIGNED =
  /\b(\w*(?:password|passwd|secret_?access_?key|secret_?key|api_?key)["']?(?:=|:\s*(?=\S*\d))["']?)[^\s"',;&]{4,}/gi;
const AUTH = /(\bauth["']?\s*[:=]\s*["']?)(?=[A-Za-z0-9+/]*[0-9A-Z])[A-Za-z0-9+/]{12,}={0,2}/g;

/** What the API server, and the installer like it, say of the value of a field. */
const OF_FIELD =
  /(\b[\w.[\]-]*(?:password|passwd|secret|token|accessKey)[\w\]]*: (?:Invalid|Duplicate|Unsupported) value: \\*["'])[^"'\\]+/gi;

/** `curl -u user:password`, `podman login -p password`: the short options that take a secret. */
const USER = /(\bcurl\b[^|;]*?\s(?:-u|--user|--proxy-user|-U)[= ]?["']?)[^\s"']+/gi;
const PASSWORD = /(\blogin\b[^|;]*?\s-p[= ]?["']?)[^\s"']+/gi;
/** `%22auth%22%3A%22…%22`: JSON inside a URL, as in Ignition files. */
const ENCODED =
  /(%22(?:auth|password|identitytoken|registrytoken|secret|token)%22(?:%20)*%3A(?:%20)*%22)(?:(?!%22)\S)+/gi;

/** A line of a log as it may be shown: no secret that can be told for one, nothing that acts on a terminal. */
export function quoteLine(text: string): string {
  return printable(
    redact(text)
      .replace(KEY, REDACTED)
      .replace(TOKEN, REDACTED)
      .replace(QUOTED, `$1${REDACTED}`)
      .replace(OPTION, `$1${REDACTED}`)
      .replace(ASSIGNED, `$1${REDACTED}`)
      .replace(AUTH, `$1${REDACTED}`)
      .replace(OF_FIELD, `$1${REDACTED}`)
      .replace(USER, `$1${REDACTED}`)
      .replace(PASSWORD, `$1${REDACTED}`)
      .replace(ENCODED, `$1${REDACTED}`),
  ).trim();
}

/** A value is told for a secret by the words before it, which a group leaves out: what the whole line hides stays hidden. */
export function unlessSecret(word: string | undefined, line: string): string | undefined {
  if (word === undefined || !line.includes(word)) return word;
  const shown = quoteLine(word);
  return quoteLine(line).includes(shown) ? (shown === word.trim() ? word : shown) : undefined;
}

/** Nothing a shell would take for more than a word, and no option. */
const ONE_WORD = /^[\w./:@%+,=~[\]][\w./:@%+,=~[\]-]*$/;

/** A word out of a log for a command somebody will run; what could do more is for the reader to fill in. */
export function shellWord(name: string, value: string): string {
  return ONE_WORD.test(value) && quoteLine(value) === value ? value : `<${name}>`;
}
