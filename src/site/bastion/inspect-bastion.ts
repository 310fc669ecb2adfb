import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Host } from '../../host/host.ts';

/** What stages run on a bastion besides atoll, and the package that has it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  tar: 'tar',
  sha256sum: 'coreutils',
  setsid: 'util-linux',
  tail: 'coreutils',
  base64: 'coreutils',
  grep: 'grep',
};

/** Facts, one `name value` a line. */
const LOOK = `. /etc/os-release 2>/dev/null
echo "os \${PRETTY_NAME:-unknown}"; echo "family \${ID:-} \${ID_LIKE:-} \${VARIANT_ID:-}"
echo "system $(uname -sm)"; echo "user $(id -un)"
[ -d /run/systemd/system ] && echo "systemd yes"
for program in "$@"; do command -v "$program" >/dev/null 2>&1 || echo "missing $program"; done`;

export interface BastionFacts {
  readonly os: string;
  readonly system: string;
  readonly user: string;
  readonly systemd: boolean;
}

/** Looks at the machine and refuses one that lacks what stages need, with all that it lacks. */
export async function inspectBastion(
  ctx: Context,
  host: Host,
  extra: Readonly<Record<string, string>> = {},
): Promise<BastionFacts> {
  const needed = { ...PROGRAMS, ...extra };
  const { stdout, stderr, status } = await host.run(
    ctx,
    'sh',
    ['-c', LOOK, 'look', ...Object.keys(needed)],
    { timeoutMs: 60_000 },
  );
  const lines = stdout.split('\n').map((line) => line.split(/ (.*)/s));
  const fact = (name: string) => lines.find(([key]) => key === name)?.[1]?.trim();
  const system = fact('system');
  if (system === undefined)
    throw new AtollError('PROGRAM_FAILED', `${host.name} does not answer: ${stderr || status}`);
  const missing = lines.flatMap(([key, value]) => (key === 'missing' && value ? [value] : []));
  if (missing.length > 0) throw lacks(host, missing, needed, fact('family') ?? '');
  return {
    os: fact('os') ?? 'unknown',
    system,
    user: fact('user') ?? '',
    systemd: fact('systemd') === 'yes',
  };
}

function lacks(
  host: Host,
  missing: readonly string[],
  needed: Readonly<Record<string, string>>,
  family: string,
): AtollError {
  const packages = [...new Set(missing.map((program) => needed[program] ?? program))];
  return new AtollError(
    'PREFLIGHT_FAILED',
    `Cannot work on ${host.name}: it lacks ${missing.join(', ')}`,
    { hint: `Install it there: sudo ${installer(family)} ${packages.join(' ')}` },
  );
}

/** How a package is installed there. */
export async function installHint(ctx: Context, host: Host, name: string): Promise<string> {
  const { stdout } = await host.run(ctx, 'sh', ['-c', LOOK, 'look']);
  const family = /^family (.*)$/m.exec(stdout)?.[1] ?? '';
  return `sudo ${installer(family)} ${name}`;
}

/** How packages are installed on Debian, on CoreOS, and on the family of RHEL. */
function installer(family: string): string {
  if (/\b(debian|ubuntu)\b/.test(family)) return 'apt-get install';
  if (/\b(coreos|rhcos)\b/.test(family)) return 'rpm-ostree install --apply-live';
  return 'dnf install';
}
