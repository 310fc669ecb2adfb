import type { Evidence } from './claim.ts';
import type { EndLine } from './evidence.ts';
import type { FileKind, Format } from './file-kind.ts';
import { quoteLine } from './quote-line.ts';

/** Where no cause was found: what there was to go by, and what would help. */
export interface NoCause {
  /** What the files were taken for, and how many of each there were. */
  readonly forms: readonly { readonly form: string; readonly files: number }[];
  /** The time the evidence speaks of, where it tells. */
  readonly from?: string;
  readonly to?: string;
  /** The first line in time that is an error and not known to be harmless. */
  readonly firstError?: Evidence;
  /** The error that the evidence ends with, where it is another one: programs say the reason last. */
  readonly lastError?: Evidence;
  /** What was said last: where nothing is an error, it is what was waited for. */
  readonly last?: Pick<Evidence, 'file' | 'at' | 'text'>;
  /** What was not there and is worth having, the most telling first. */
  readonly gather: readonly string[];
}

const FORMS: Readonly<Record<Format, string>> = {
  journal: 'journal',
  'journal-json': 'journal as JSON',
  'journal-export': 'exported journal',
  'journal-fields': 'verbose journal',
  'journal-list': 'journal as JSON',
  logrus: 'log of an installer or container tool',
  'oc-mirror': 'log of oc-mirror',
  'own-events': 'journal of atoll',
  plain: 'plain text',
  record: 'service record',
  'objects-json': 'API objects as JSON',
  'objects-yaml': 'API objects as YAML',
};

interface Wanted {
  readonly origin: RegExp;
  readonly of: 'mirroring' | 'install';
  readonly say: string;
}

const WANTED: readonly Wanted[] = [
  {
    origin: /^cli:/,
    of: 'mirroring',
    say: 'What the mirroring said: the log of oc-mirror, or "atoll mirror …" again with --verbose',
  },
  {
    origin: /^journal:bastion\//,
    of: 'mirroring',
    say: 'The log of the mirror registry, from the machine it runs on',
  },
  {
    origin: /^installer-log$/,
    of: 'install',
    say: "The installer's own log: .openshift_install.log in the directory of the install",
  },
  {
    origin: /^journal:bootstrap\//,
    of: 'install',
    say: 'The journal of the bootstrap machine: "openshift-install gather bootstrap", or "journalctl --no-pager" on it',
  },
  {
    origin: /^journal:\w+\/crio$/,
    of: 'install',
    say: 'What CRI-O says of pulls: "journalctl --no-pager -u crio" on the machine that does not come up',
  },
  {
    origin: /^journal:node\/kubelet$/,
    of: 'install',
    say: 'What the kubelet says: "journalctl --no-pager -u kubelet" on the machine that does not join',
  },
  {
    origin: /^(?:object:|event:|pod:)/,
    of: 'install',
    say: 'The state of the cluster, if its API answers: "oc adm must-gather", or "oc get co,nodes,csr -o yaml"',
  },
];

type ErrorsOf = Pick<NoCause, 'firstError' | 'lastError'>;

/** Collects what was read, for the report when no cause is found. */
export function createReading() {
  const files = new Map<string, number>();
  const origins = new Set<string>();
  let from: Date | undefined;
  let to: Date | undefined;
  let last: EndLine | undefined;
  return {
    file({ format, machine, origins: own }: FileKind): void {
      files.set(FORMS[format], (files.get(FORMS[format]) ?? 0) + 1);
      for (const origin of own) origins.add(origin);
      if (machine) origins.add(`journal:${machine}/`);
      if (format.startsWith('objects-')) origins.add('object:');
    },
    time(end: Date, first: Date): void {
      if (!from || first < from) from = first;
      if (!to || end > to) to = end;
    },
    end(line: EndLine): void {
      if (!last?.at || (line.at && line.at >= last.at)) last = line;
    },
    noCause(seen: Iterable<string>, { firstError, lastError }: ErrorsOf): NoCause {
      const isOther = lastError !== undefined && lastError.text !== firstError?.text;
      const all = [...origins, ...seen];
      return {
        forms: [...files].map(([form, count]) => ({ form, files: count })),
        ...(from ? { from: from.toISOString() } : {}),
        ...(to ? { to: to.toISOString() } : {}),
        ...(firstError ? { firstError } : {}),
        ...(isOther ? { lastError } : {}),
        ...(last ? { last: endOf(last) } : {}),
        gather: [...(CRASH.test(firstError?.text ?? '') ? [TRACE] : []), ...missingOf(all)],
      };
    },
  };
}

const endOf = ({ file, text, at }: EndLine) => ({
  file,
  ...(at ? { at: at.toISOString() } : {}),
  text: quoteLine(text).slice(0, 600),
});

/** What a program of Go says when it crashes. */
const CRASH = /\bpanic: |\bSIGSEGV\b|^goroutine \d/;
const TRACE =
  'All that the program that crashed printed, and its version ("openshift-install version", "oc-mirror version"): that it crashes is a fault of its own';

/** Who shows an install is asked for the rest of it; who shows only mirroring for the rest of that. */
function missingOf(origins: readonly string[]): string[] {
  const has = ({ origin }: Wanted) => origins.some((one) => origin.test(one));
  const isInstall = WANTED.some((one) => one.of === 'install' && has(one));
  const isMirroring = !isInstall && WANTED.some((one) => one.of === 'mirroring' && has(one));
  return WANTED.filter(
    (one) =>
      !has(one) && !(isInstall && one.of === 'mirroring') && !(isMirroring && one.of === 'install'),
  ).map(({ say }) => say);
}
