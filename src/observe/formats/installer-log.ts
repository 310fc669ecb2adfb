import { dateOf } from './dates.ts';
import type { LogLine } from './log-line.ts';

/**
 * `.openshift_install.log`, and what else logs with logrus: `time="…" level=info msg="…"`. What the installer prints
 * has no time, and on a terminal it is `INFO …`.
 */
const LOGRUS = /^(?:time="([^"]+)" )?level=(\w+) msg=(?:"((?:[^"\\]|\\.)*)"|(.*))/;
const TERMINAL = /^(DEBUG|INFO|WARNING|ERROR|FATAL) (.*)/;
const SAID_BY_INSTALLER =
  /^(?:(?:DEBUG|INFO|WARNING|ERROR|FATAL) +|(?:time="[^"]*" )?level=\w+ msg="?)(?:OpenShift Installer |Built from commit |Loading |Using Install Config |Consuming |Credentials loaded |Creating infrastructure resources|Waiting up to |Still waiting for the |API v\d|Bootstrap status: |It is now safe to remove the bootstrap|Cluster operator |Failed to wait for bootstrapping |failed to \w+ |Fetching |Generating |Obtaining RHCOS image|Running process: |Created manifest |Install complete!|Destroying the bootstrap|Pulling debug logs|Bootstrap gather logs|Reusing previously-fetched|Started local control plane|Creating (?:Route53|IAM|load balancer)|Cluster API |Waiting for network infrastructure|The rendezvous host|Bootstrap Kube API|Host \S+ )/;
/** oc-mirror: `2026/08/20 10:11:12  [ERROR]  : text`, the time being optional. */
const OC_MIRROR =
  /^(?:(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d)\s+)?\[(INFO|WARN|ERROR|DEBUG|TRACE)\]\s*: ?/;
/** Container logs of a must-gather start with the time the runtime saw the line. */
const CONTAINER = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) /;

export function decodeLogrus(raw: string): LogLine {
  const match = LOGRUS.exec(raw);
  if (!match) return decodeTerminal(raw);
  const [, time = '', level = '', quoted, bare] = match;
  const text = quoted === undefined ? (bare ?? '') : unquoted(quoted);
  const said = quoted === undefined ? '' : errorIn(raw.slice(match[0].length));
  return { message: `level=${level} msg=${text}${said}`, at: dateOf(time) };
}

/** containerd, registries and operators say in a field of its own what went wrong. */
const ERROR_FIELD =
  / (?:(?:error|err|err\.detail|err\.message(?!="(?:unknown error|\w+ unknown|\w+ required))|reason|stderr|output|status|message)="((?:[^"\\]|\\.)*)"|(?:error|err)=([^\s"]+))/;

function errorIn(fields: string): string {
  const [, quoted, bare] = ERROR_FIELD.exec(fields) ?? [];
  const error = quoted ?? bare;
  return error === undefined ? '' : ` error=${unquoted(error)}${askerIn(fields)}`;
}

/**
 * Who asked a registry for what tells a missing image from a question that is always asked. The address of the asker is
 * left out: whoever reads a line for the other end would take it for that.
 */
function askerIn(fields: string): string {
  const from = fields.indexOf(' http.request.method=');
  return from < 0 ? '' : fields.slice(from).replace(/ http\.request\.remoteaddr=\S+/, '');
}

function decodeTerminal(raw: string): LogLine {
  const [, level, text] = TERMINAL.exec(raw) ?? [];
  if (level === undefined) return decodePlain(raw);
  return { message: `level=${level.toLowerCase()} msg=${text}` };
}

export function decodeOcMirror(raw: string): LogLine {
  const match = OC_MIRROR.exec(raw);
  if (!match) return decodePlain(raw);
  const [, year, month, day, time] = match;
  return { message: raw, at: year ? dateOf(`${year}-${month}-${day}T${time}Z`) : undefined };
}

export function decodePlain(raw: string): LogLine {
  const match = CONTAINER.exec(raw);
  if (!match) return { message: raw };
  return { message: raw.slice(match[0].length), at: dateOf(`${match[1]}Z`) };
}

export const isSaidByInstaller = (line: string): boolean => SAID_BY_INSTALLER.test(line);
export const isLogrus = (line: string): boolean => LOGRUS.test(line) || isSaidByInstaller(line);
export const isOcMirror = (line: string): boolean => OC_MIRROR.test(line);

/** A line as openshift-install writes it. */
export function formatLogrus(at: Date, level: string, message: string): string {
  return `time="${at.toISOString().slice(0, 19)}Z" level=${level} msg=${JSON.stringify(message)}`;
}

const unquoted = (text: string): string =>
  text.replace(/\\(["\\nt])/g, (_, character: string) => ESCAPES[character] ?? character);

const ESCAPES: Readonly<Record<string, string>> = { n: ' ', t: ' ' };
