import { REDACTED } from '../core/redact.ts';

/** What stands before a secret, and the secret; the words before it stay. */
type Secret = readonly [pattern: RegExp, shown: string];

const behind = (pattern: RegExp): Secret => [pattern, `$1${REDACTED}`];
const whole = (pattern: RegExp): Secret => [pattern, REDACTED];

/** Secrets that are told for one by their own form. */
const BY_FORM: readonly Secret[] = [
  whole(/-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gs),
  whole(/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*|\bsha256~[\w-]{20,}/g),
];

/** Fields of files, of logs, of addresses and of what programs send each other. */
const BY_FIELD: readonly Secret[] = [
  // `"auth":"…"` as it stands in a log that quotes it once more.
  behind(
    /(\\+"(?:auth|password|identitytoken|registrytoken|secret|token)\\+"\s*:\s*\\+")[^"\\]*/gi,
  ),
  // `password=…`, `AWS_SECRET_ACCESS_KEY: …`. Words of prose after a colon have no digit.
  behind(
    /\b(\w*(?:password|passwd|secret_?access_?key|secret_?key|client_?secret|api_?key)["']?(?: ?= ?|:\s*(?=\S*\d))["']?)[^\s"',;&]{4,}/gi,
  ),
  behind(/((?<![\w-])token=["']?)(?=[^\s"']*\d)[^\s"',;&]{8,}/gi),
  behind(/(\bpassword (?:is|was|to)[: ]+["']?)(?=\S*\d)[^\s"']{6,}/gi),
  behind(/(\bauth["']?\s*[:=]\s*["']?)(?=[A-Za-z0-9+/]*[0-9A-Z])[A-Za-z0-9+/]{12,}={0,2}/g),
  behind(/(<\w*(?:password|passwd|secret|token)>)[^<]+/gi),
  behind(/(\b(?:Set-)?Cookie: )[^\s"';=]+=[^\s"';]+(?:; ?[^\s"';]+)*/gi),
  behind(/(\bX-[\w-]{0,40}(?:Token|Key|Auth|Secret): ?)[^\s"']+/gi),
  behind(/(\bX-Amz-(?:Signature|Credential|Security-Token)=)[^\s"'&]+/gi),
  // `%22auth%22%3A%22…%22`: JSON inside a URL, as in Ignition files, encoded once or again.
  behind(
    /(%(?:25)*22(?:auth|password|identitytoken|registrytoken|secret|token)%(?:25)*22(?:%(?:25)*20)*%(?:25)*3A(?:%(?:25)*20)*%(?:25)*22)(?:(?!%(?:25)*22)\S)+/gi,
  ),
  // What the API server, and the installer like it, say of the value of a field.
  behind(
    /(\b[\w.[\]-]*(?:password|passwd|secret|token|accessKey)[\w\]]*: (?:Invalid|Duplicate|Unsupported) value: \\*["'])[^"'\\]+/gi,
  ),
  // mirror-registry, when it is done.
  behind(/(\bcredentials \([^\s,()]+, )[^\s)]+/gi),
];

/** Arguments of commands: long options by their name, short ones by the command that takes them. */
const BY_OPTION: readonly Secret[] = [
  behind(
    /((?<![\w-])--[\w-]{0,40}(?:creds|password|passwd|token|secret|secret-key)[= ]+)(?!-)[^\s"']+/gi,
  ),
  behind(/(\bcurl\b[^|;]*?\s(?:-[a-z]*[uU] ?|--(?:proxy-)?user[= ])["']?)[^\s"'-][^\s"']*/g),
  behind(/(\blogin\b[^|;]*?\s-p[= ]?["']?)[^\s"']+/gi),
  behind(/(\bsshpass\s+-p ?["']?)[^\s"']+/gi),
  behind(/(\b(?:mysql\w*|mariadb\S*)\b[^|;]*?\s-p["']?)[\w!@#%^&*][^\s"']*/gi),
  behind(/(\bipmitool\b[^|;]*?\s-P ?["']?)[^\s"']+/g),
  behind(/(\bgovc\b[^|;]*?\s-u[= ]["']?[^\s"']+?:)[^\s"']+(?=@)/gi),
  // With -b the password is the last word; without -n a file stands before the user.
  behind(/(\bhtpasswd(?=(?:\s+-\w+)*\s+-\w*b)(?:\s+-[a-mo-zA-Z]+)+\s+\S+\s+\S+\s+)[^\s"'-]\S*/g),
  behind(
    /(\bhtpasswd(?=(?:\s+-\w+)*\s+-\w*b)(?:\s+-[a-zA-Z]*)+\s+[^\s/]+\s+)[^\s"'/-][^\s/]*(?=["'\s]|$)/g,
  ),
];

const SECRETS: readonly Secret[] = [...BY_FORM, ...BY_FIELD, ...BY_OPTION];

/** A text without what can be told for a secret in it. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce((clean, [pattern, shown]) => clean.replace(pattern, shown), text);
}
