import { shellLine } from '../../core/format.ts';

/** Where Debian and RHEL keep programs that are not on the PATH of a login without a terminal. */
const MORE_PATH = '/usr/local/bin:/usr/local/sbin:/usr/sbin:/sbin';

/**
 * Runs there. It tells on standard error, behind a mark nobody else prints, the process and its
 * status: the status of `ssh` alone does not say whether the program or the line failed.
 */
const SCRIPT = `mark=$1 dir=$2 program=$3; shift 3
PATH=$PATH:${MORE_PATH}; export PATH
if [ -n "$dir" ] && ! cd -- "$dir" 2>/dev/null; then echo "$mark folder 0" >&2; exit 0; fi
if ! command -v -- "$program" >/dev/null 2>&1; then echo "$mark missing 0" >&2; exit 0; fi
sh -c 'echo "$0 pid $$" >&2; exec "$@"' "$mark" "$@"
echo "$mark end $?" >&2`;

export interface RemoteProgram {
  readonly mark: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What makes it root: `sudo -n --`, or nothing. */
  readonly root: readonly string[];
}

/** The one line that sshd hands to the login shell. */
export function remoteCommand({ mark, program, args, cwd, env = {}, root }: RemoteProgram): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const environment = variables.length > 0 ? ['env', ...variables] : [];
  const words = [mark, cwd ?? '', program, ...root, ...environment, program, ...args];
  return `exec ${shellLine(['sh', '-c', SCRIPT, 'sh', ...words])}`;
}

/** What the script has told so far. */
export interface RemoteState {
  readonly pid?: number;
  readonly status?: number;
  readonly problem?: 'missing' | 'folder';
}

/** Parts what the script tells from what the program prints on standard error. */
export class RemoteWords {
  state: RemoteState = {};
  readonly #pattern: RegExp;

  constructor(mark: string) {
    this.#pattern = new RegExp(`${mark} (pid|end|missing|folder) (\\d+)`);
  }

  /** The line as the program printed it; undefined when none of it is the program's. */
  read(line: string): string | undefined {
    const found = this.#pattern.exec(line);
    if (!found) return line;
    const [, word, number] = found;
    this.state = { ...this.state, ...told(word, Number(number)) };
    // A program that ends without a line break has our words behind its own.
    return line.slice(0, found.index) || undefined;
  }

  /** All of standard error, without ours. */
  clean(text: string): string {
    return text.replaceAll(new RegExp(`${this.#pattern.source}\\n?`, 'g'), '');
  }
}

function told(word: string | undefined, number: number): RemoteState {
  if (word === 'pid') return { pid: number };
  if (word === 'end') return { status: number };
  return { problem: word === 'folder' ? 'folder' : 'missing' };
}
