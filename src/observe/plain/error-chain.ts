/** How a list begins that belongs to the error above it, what its items look like, and what stands between them. */
interface ListBelow {
  readonly begins: RegExp;
  readonly item: RegExp;
  readonly between: string;
  /** The line that begins it says no more than that it begins. */
  readonly isBare: boolean;
}

const LISTS: readonly ListBelow[] = [
  // What an error was caused by, as programs of Rust say it.
  {
    begins: /^\s*Caused by(?: \(\d+ errors?\))?:\s*$/,
    item: /^\s+(?:\d+: )?(?=\S)/,
    between: ': ',
    isBare: true,
  },
  // What yum misses for a package.
  {
    begins: /^\s*(?:Error: )?Package: \S+/,
    item: /^\s+(?=(?:Requires|Installed|Available): )/,
    between: ' ',
    isBare: false,
  },
  // What a volume could not be mounted for, behind how it was tried.
  {
    begins: /\bmount failed: exit status \d+\s*$/,
    item: /^\s*(?:Mounting (?:command|arguments): .*|Output: )/,
    between: ': ',
    isBare: false,
  },
  // Errors of several lines in a log of klog, which the installer passes on line by line.
  {
    begins: /\berr(?:or)?=<\s*$/,
    item: /^(?:(?:time="\S+" )?level=\w+ msg="?)?\s+(?=[^\s>])/,
    between: ' ',
    isBare: false,
  },
  // Fields that the API server does not take.
  { begins: /\bis invalid:\s*$/, item: /^\s*\* (?=\S)/, between: ' * ', isBare: false },
];

/** A line, and the whole of what it begins where a list follows. */
export interface FoldedLine {
  readonly text: string;
  readonly whole: string;
}

/** Joins errors with the list below them: alone an item tells why, and not of what. */
export function chainsFolded(lines: readonly string[]): readonly FoldedLine[] {
  const folded: FoldedLine[] = [];
  let open: ListBelow | undefined;
  for (const text of lines) {
    const begun = LISTS.find(({ begins }) => begins.test(text));
    const list: ListBelow | undefined = !begun && open?.item.test(text) ? open : undefined;
    const joins = begun?.isBare || list;
    const at = joins ? folded.findLastIndex((one) => one.text.trim() !== '') : -1;
    const head = folded[at];
    if (!head) folded.push({ text, whole: text });
    else {
      const whole = head.whole.trimEnd() + itemOf(text, list);
      folded.splice(at, folded.length, { text: head.text, whole });
    }
    open = begun ?? list;
  }
  return folded;
}

function itemOf(text: string, list: ListBelow | undefined): string {
  const said = list ? text.replace(list.item, '').trim() : '';
  return list && said !== '' ? list.between + said : '';
}

const BROKEN_OFF =
  /^(?!\S*[$#] )(?=.{50})(?=.*(?:fail|error|cannot|unable|could not)).*[a-z]{2}\s*$/i;
const GOES_ON =
  /^\s*(?:and|are|be|because|does|has|have|is|must|not|of|or|than|to|was|were|which|while) [\w"'/]/;

/** Joins sentences that were broken between two words: neither part says what is wrong. */
export function sentencesFolded(lines: readonly FoldedLine[]): readonly FoldedLine[] {
  const folded: FoldedLine[] = [];
  for (const line of lines) {
    const before = folded.at(-1);
    const isBroken = before && GOES_ON.test(line.text) && BROKEN_OFF.test(before.text);
    if (!isBroken) folded.push(line);
    else
      folded.splice(-1, 1, { ...before, whole: `${before.whole.trimEnd()} ${line.whole.trim()}` });
  }
  return folded;
}
