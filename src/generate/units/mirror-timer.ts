import { execLine, unitFile } from './unit-file.ts';

export interface MirrorTimerInput {
  /** The command to run, without the program: `mirror sync -c …`. */
  readonly command: readonly string[];
  /** When, as systemd writes it: `daily`, `Sat *-*-* 22:00`. */
  readonly schedule?: string | undefined;
  readonly program?: string | undefined;
  /** Folder to run in, where `working-dir` is. */
  readonly folder?: string | undefined;
  readonly user?: string | undefined;
}

const MIRROR_TIMER = 'atoll-mirror';

/** Runs a mirror command on schedule. Some images missing (7) and an end of the time window (130) are no failure. */
export function mirrorService(input: MirrorTimerInput): string {
  return unitFile({
    Unit: [
      ['Description', 'Keep the mirror in shape (atoll)'],
      ['Wants', 'network-online.target'],
      ['After', 'network-online.target'],
    ],
    Service: [
      ['Type', 'oneshot'],
      ['User', input.user],
      ['WorkingDirectory', input.folder ?? '/var/lib/atoll/mirror'],
      ['ExecStart', execLine([input.program ?? '/usr/local/bin/atoll', ...input.command])],
      ['SuccessExitStatus', '7 130'],
      ['Nice', 10],
      ['IOSchedulingClass', 'idle'],
    ],
  });
}

export function mirrorTimer({
  schedule = 'daily',
}: Pick<MirrorTimerInput, 'schedule'> = {}): string {
  return unitFile({
    Unit: [['Description', `When ${MIRROR_TIMER}.service runs`]],
    Timer: [
      ['OnCalendar', schedule],
      // A machine that was off then runs it when it is back; many machines do not all begin at once.
      ['Persistent', 'true'],
      ['RandomizedDelaySec', '10m'],
    ],
    Install: [['WantedBy', 'timers.target']],
  });
}
