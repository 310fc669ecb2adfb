/** What a script uses and does not make itself. A guess from its text: good enough for a warning. */
export interface ScriptNeeds {
  /** Variables that are read without a default and never set. */
  readonly variables: readonly string[];
  /** Words in the place of a command that are neither of the shell nor functions of the script. */
  readonly programs: readonly string[];
}

const SHELL_WORDS = new Set(
  `if then else elif fi for while until do done case esac in function select time
  alias bg break builtin cd command continue declare echo enable eval exec exit export false fg getopts hash
  help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set
  shift shopt source test times trap true type typeset ulimit umask unalias unset wait`
    .trim()
    .split(/\s+/),
);

/** Set by bash itself. */
const OF_BASH =
  /^(?:BASH\w*|EUID|UID|PPID|HOSTNAME|HOSTTYPE|LINENO|OLDPWD|OPTARG|OPTIND|OSTYPE|PIPESTATUS|PWD|RANDOM|REPLY|SECONDS|SHLVL|IFS|FUNCNAME|EPOCHSECONDS)$/;

export function scriptNeeds(script: string): ScriptNeeds {
  const text = withoutHereDocuments(withoutComments(script));
  const bare = text.replaceAll(/'[^']*'/g, "''");
  return { variables: variablesOf(bare, script), programs: programsOf(bare) };
}

const withoutComments = (text: string) => text.replaceAll(/(^|\s)#.*$/gm, '$1');

/** Only those that the shell leaves alone: in the others variables count. */
function withoutHereDocuments(text: string): string {
  return text.replaceAll(
    /<<-?\s*(['"\\]?)(\w+)['"]?(.*)\n([\s\S]*?)\n\s*\2(?=\n|$)/g,
    (_all, quote: string, _word, rest: string, body: string) =>
      quote === '' ? `${rest}\n"${body.replaceAll(/["'`]/g, ' ')}"\n` : `${rest}\n`,
  );
}

function variablesOf(text: string, script: string): string[] {
  const used = [...text.matchAll(/\$(?:\{([A-Z_][A-Z0-9_]*)([^}]?)|([A-Z_][A-Z0-9_]*))/g)];
  const wanted = used.flatMap(([, braced, after = '', plain]) => {
    const name = braced ?? plain ?? '';
    return /[:\-+=?]/.test(after) ? [] : [name];
  });
  const isSet = (name: string) =>
    OF_BASH.test(name) ||
    new RegExp(
      `(?:^|[\\s;&|(])(?:(?:export|local|declare|readonly|typeset)\\s+(?:-\\w+\\s+)*)?${name}\\+?=`,
      'm',
    ).test(script) ||
    new RegExp(`(?:\\bread\\b|\\bmapfile\\b|\\breadarray\\b|\\bfor\\b)[^\\n;]*\\b${name}\\b`).test(
      script,
    );
  return [...new Set(wanted)].filter((name) => !isSet(name)).toSorted();
}

function programsOf(text: string): string[] {
  const functions = new Set(
    [...text.matchAll(/(?:^|[\s;])(?:function\s+)?([\w-]+)\s*\(\)/g)].map(([, name]) => name),
  );
  // Inside of double quotes only what the shell runs counts.
  const code = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) =>
    ['""', ...(quoted.match(/\$\([^)]*\)/g) ?? [])].join(' '),
  );
  const words = code.matchAll(
    /(?<=(?:^|[|;&({]|\$\(|\b(?:then|do|else|if|elif|while|until|sudo|xargs|time|timeout \d+\w?)\s|!\s)[ \t]*)(?:[A-Za-z_]\w*=(?:(?!\$\()\S)*[ \t]+)*([a-z][a-z0-9_.+-]*)(?=[\s;|&)]|$)/gm,
  );
  const names = [...words].map(([, name = '']) => name);
  const isOther = (name: string) => !SHELL_WORDS.has(name) && !functions.has(name);
  return [...new Set(names)].filter(isOther).toSorted();
}
