import { BOOTSTRAP_UNITS } from '../openshift/bootstrap/steps.ts';
import { ANYWHERE, type FileKind, type Machine } from './file-kind.ts';
import {
  decodeLogrus,
  decodeOcMirror,
  decodePlain,
  isLogrus,
  isOcMirror,
} from './formats/installer-log.ts';
import { decodeJournalJson } from './formats/journal-json.ts';
import { decodeJournalText } from './formats/journal-text.ts';
import { decodeKlog } from './formats/klog.ts';
import type { LogLine } from './formats/log-line.ts';

/** A line with the origins it may have, the likeliest first. None: the line itself does not tell. */
export interface PlacedLine extends LogLine {
  readonly origins: readonly string[];
  /** The line before, where this one goes on with it. */
  readonly lead?: string | undefined;
}

/** Where somebody typed a command. */
export const PROMPT = /^(?!#{2})(?:(?:\[[^\]]*\]|\S*)[$#]|PS [A-Z]:\\[^>]*>) /;
/** What stands before a line that was quoted in a ticket or pasted indented. */
const QUOTED = /^(?:[ \t]*(?:>|\|)[ \t]?)+|^[ \t]+|^\p{Cc}+/u;
/** What a ticket puts around a line of a log to show it as one. */
const MARKUP =
  /^[`*_]{1,3}(?=time=|level=|(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b|\[ *\d+\.\d+\]|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |[IWEF]\d{4} \d\d:\d\d:)/;
/** What makes a list of lines that have a time: the number that `cat -n` or `grep -n` puts there, or a bullet. */
const LISTED =
  /^[ \t]*(?:[-*+\u2022\u25e6\u2023]|\d{1,7}[.):]?)[ \t]*(?=time="|\[ *\d+\.\d+|[A-Z][a-z]{2} (?:[ \d]\d \d\d:\d\d:\d\d |\d{4}-\d\d-\d\d \d\d:)|\d{4}-\d\d-\d\dT\d\d:|[IWEF]\d{4} \d\d:\d\d:)/;
/** A whole line set as code, as a ticket has it. What a runbook quotes is shorter, in a list, or goes on behind it. */
const CODE = /^`+ ?(?!-)([^`]{40,}?) ?`*[.,:;]?$/;
const CONSOLE = /^\[ *\d+\.\d+\](?:\[[^\]]*\])? +([\w.-]+)(?:\[\d+\])?: /;
/** `Warning  Failed  2m (x4 over 5m)  kubelet  Failed to pull…`, of describe and, with the kind, of `get events`. */
const EVENT = /^(?:\S+ +)?(?:\S+ +)??(?:Warning|Normal) +([A-Z]\w+) +/;
const OPERATOR =
  /^([a-z][a-z0-9-]+) +\d+\.\d+\.\d+\S* +(?:True|False|Unknown) +(?:True|False|Unknown) +(?:True|False|Unknown) +/;
/** How oc, podman, skopeo and docker begin what they tell on a terminal; crictl, on a node, tells of remote calls. */
const COMMAND_OUTPUT =
  /^(?:(?:error|info|warning|Error|Trying to pull|Getting image source|Error response from daemon)\b|(?:FATA|ERRO|WARN|INFO)\[\d+\](?!.*rpc error: code))/;
const COMMANDS = ['cli:oc', 'cli:podman', 'cli:skopeo', 'cli:oc-mirror', ANYWHERE];
/** Commands that speak for themselves: what `logs`, `get` and `describe` print was said by others. */
const COPIES =
  /^(?:(?:\[[^\]]*\]|\S*)[$#] )?(?:sudo )?(?:\S+\/)?(?:oc[- ]mirror|oc (?:-\S+ )*(?:adm (?:-a \S+ )?(?:release|catalog)|image)|skopeo (?:copy|sync|inspect|list-tags|login|delete)|(?:crane|oras) [a-z]+|regctl (?:image|repo|registry|tag)|(?:podman|docker|nerdctl) (?:image )?(?:pull|push|login|load|manifest)|helm (?:push|pull|registry)) (?=.*(?:[/:]|-[-\w]))/;
/** oc hands on what a kubelet said. */
const PULLED_BY_KUBELET = /^error: .*(?:Back-off pulling image|ErrImagePull|ImagePullBackOff)/;
const PULL_EVENT = ['event:Failed', 'object:Pod', ANYWHERE];
const JSON_ENTRY = /^(?:data: ?)?\{.*"MESSAGE"\s*:/;
const KLOG_WRITERS = ['journal:node/kubelet', 'journal:bootstrap/kubelet', ANYWHERE];
/** podman, skopeo and CRI-O log in the form of the installer. */
const LOGRUS_TOOLS = [
  'installer-log',
  'cli:podman',
  'cli:skopeo',
  'journal:node/crio',
  'journal:bootstrap/crio',
  ANYWHERE,
];

/** Where the lines below a command come from, when it is one that copies or pulls images itself. */
export const originsBelow = (command: string): readonly string[] | undefined =>
  COPIES.test(command) ? COMMANDS : undefined;

/** What one line says of itself, whatever the lines around it are. */
export function placeLine(raw: string, kind: FileKind, year: Date): PlacedLine {
  const placed = placeBare(raw, kind, year);
  if (placed.origins.length > 0) return placed;
  const unlisted = raw.replace(QUOTED, '').replace(LISTED, '').replace(/\r$/, '');
  const bare = withoutMarkup(unlisted).replace(CODE, '$1');
  return bare === raw ? placed : placeBare(bare, kind, year);
}

const withoutMarkup = (line: string): string =>
  MARKUP.test(line) ? line.replace(MARKUP, '').replace(/[`*_]{1,3}$/, '') : line;

function placeBare(raw: string, kind: FileKind, year: Date): PlacedLine {
  if (JSON_ENTRY.test(raw)) return ofJournal(decodeJournalJson(raw), kind.machine);
  const console = CONSOLE.exec(raw);
  if (console) return ofConsole(raw.slice(console[0].length), console[1] ?? '');
  const journal = decodeJournalText(raw, year);
  if (journal.unit !== undefined) return ofJournal(journal, kind.machine);
  if (isLogrus(raw))
    return { ...decodeLogrus(raw), origins: kind.origins.length > 0 ? kind.origins : LOGRUS_TOOLS };
  if (isOcMirror(raw)) return { ...decodeOcMirror(raw), origins: ['cli:oc-mirror'] };
  const klog = decodeKlog(raw, year);
  if (klog) return { ...klog, origins: KLOG_WRITERS };
  const operator = OPERATOR.exec(raw);
  if (operator)
    return { message: raw, origins: [`object:ClusterOperator/${operator[1]}`, ANYWHERE] };
  if (PULLED_BY_KUBELET.test(raw)) return { message: raw, origins: PULL_EVENT };
  if (COMMAND_OUTPUT.test(raw)) return { ...decodePlain(raw), origins: COMMANDS };
  const event = EVENT.exec(raw);
  if (event) return { message: raw, origins: [`event:${event[1]}`, 'object:Pod', ANYWHERE] };
  return { ...decodePlain(raw), origins: [] };
}

const ofConsole = (message: string, program: string): PlacedLine => ({
  message,
  origins: [
    'console:node',
    'console:bootstrap',
    'aws:ec2-console-output',
    `journal:node/${program}`,
    `journal:bootstrap/${program}`,
  ],
});

/** A journal of many units: the line itself says which, and most often on which machine. */
function ofJournal(line: LogLine, machine: Machine | undefined): PlacedLine {
  const unit = line.unit ?? 'unknown';
  return { ...line, origins: journalOrigins(unit, machine ? [machine] : machinesOf(line)) };
}

const MAX_KEPT = 10_000;
const keptOrigins = new Map<string, readonly string[]>();

/** The same list for the same unit: others remember by it what applies to a line. */
function journalOrigins(unit: string, machines: readonly Machine[]): readonly string[] {
  const key = `${machines.join()} ${unit}`;
  const known = keptOrigins.get(key);
  if (known) return known;
  const units = machines.map((one) => `journal:${one}/${unit}`);
  const origins = /^ignition/.test(unit) ? [...units, 'console:node'] : units;
  if (keptOrigins.size >= MAX_KEPT) keptOrigins.clear();
  keptOrigins.set(key, origins);
  return origins;
}

function machinesOf(line: LogLine): readonly Machine[] {
  const host = line.host ?? '';
  if (/bastion|registry|mirror|quay/.test(host)) return ['bastion'];
  if (isBootstrap(line)) return ['bootstrap'];
  return /master|worker|control|compute|infra/.test(host) ? ['node'] : ['node', 'bootstrap'];
}

const isBootstrap = (line: LogLine): boolean =>
  /bootstrap/.test(line.host ?? '') ||
  BOOTSTRAP_UNITS.has(line.unit ?? '') ||
  /^(?:node-image|bootstrap)-/.test(line.unit ?? '');
