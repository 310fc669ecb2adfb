import type { FoldedLine } from './error-chain.ts';

/** A field of a condition, as YAML, JSON and "oc describe" print it. */
const FIELD =
  /^[\s-]*"?(last(?:Heartbeat|Probe|Transition|Update)Time|last (?:heartbeat|probe|transition|update) time|observedGeneration|message|reason|severity|status|type)"?:\s*(.*?),?\s*$/i;
const GOOD =
  /^(?:Available|Ready|Valid\w*|Succeeded|Reconciled|Healthy|Initialized|Established|Programmed|Accepted|Applied)$|(?:Ready|Succeeded|Available|Valid|Accepted)$/;
const ILL =
  /^(?:Degraded|Failing|Failed|Failure|Error|Stalled|Invalid)$|(?:Degraded|Failed|Failing|Failure|Error|Invalid|NotFound|Missing|Conflict|Exceeded|Unavailable|Unhealthy|Unreachable|NotReady|NotResolved)$/;

/** Reasons that nobody gives for what is not wanted. */
const BY_REASON = /^(?:Invalid|Missing|No[A-Z])|(?:Failed|Error|Invalid|Missing|NotFound)$/;

/** A condition that is not as it must be, in one line that begins with this word. */
export const CONDITION = 'condition ';

interface OpenCondition {
  readonly at: number;
  readonly fields: Map<string, string>;
  last: string;
}

/** Joins the fields of each condition: what it says and whether it is so stand in different lines. */
export function conditionsFolded(lines: readonly FoldedLine[]): readonly FoldedLine[] {
  const folded: FoldedLine[] = [];
  let open: OpenCondition | undefined;
  const close = (): void => {
    const said = open && toldOf(open.fields);
    const head = open && folded[open.at];
    if (open && head && said) folded.splice(open.at, 1, { text: head.text, whole: said });
    open = undefined;
  };
  for (const line of lines) {
    const [, name = '', value = ''] = FIELD.exec(line.text) ?? [];
    const key = name.replaceAll(' ', '').toLowerCase();
    const goesOn: boolean = open !== undefined && key === '' && isContinued(line.text, open);
    if (open && goesOn)
      open.fields.set(open.last, `${open.fields.get(open.last)} ${line.text.trim()}`);
    else if (key === '' || open?.fields.has(key)) close();
    if (key !== '') {
      open ??= { at: folded.length, fields: new Map(), last: key };
      open.fields.set(key, value);
      open.last = key;
    }
    folded.push(line);
  }
  close();
  return folded;
}

/** Only messages are long enough for a second line, which a terminal may have broken within a quote. */
const isContinued = (text: string, { last, fields }: OpenCondition): boolean =>
  last === 'message' &&
  (/^\s{4,}\S/.test(text) || isOpenQuote(fields.get(last) ?? '')) &&
  !/^\s*[\w"-]+:(?:\s|$)/.test(text);

const isOpenQuote = (value: string): boolean => (value.match(/(?<!\\)"/g)?.length ?? 0) % 2 === 1;

const bare = (value: string | undefined): string => value?.replace(/^["']|["']$/g, '') ?? '';

function toldOf(fields: ReadonlyMap<string, string>): string | undefined {
  const [type, status, reason, message] = ['type', 'status', 'reason', 'message'].map((name) =>
    bare(fields.get(name)),
  );
  if (!type || !status || !message || message.length < 12) return undefined;
  const isGood = GOOD.test(type) || BY_REASON.test(reason ?? '');
  const isIll =
    (status === 'False' && isGood) ||
    (status === 'True' && ILL.test(type)) ||
    (status === 'Unknown' && BY_REASON.test(reason ?? ''));
  return isIll
    ? `${CONDITION}${type}=${status}${reason ? ` (${reason})` : ''}: ${message}`
    : undefined;
}
