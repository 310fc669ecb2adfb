import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { ERROR_NAMES, type ErrorCode } from '../../core/error-codes.ts';
import { AtollError } from '../../core/errors.ts';
import { type AtollEvent, eventOfLine } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import { isObject, parseJson } from '../../core/shape.ts';
import type { Host } from '../../host/host.ts';
import { hashOf } from '../../workflow/hash.ts';
import type { BastionPlace } from './bastion-place.ts';
import { must } from './carry-atoll.ts';

/** Written behind the last event: a reader that follows the file knows that it is complete. */
const ENDED = '@atoll-ended';

/** Whether the run in a folder goes on. */
const ALIVE = `alive() { [ -f "$1/pid" ] && [ ! -f "$1/status" ] && tr '\\0' ' ' < "/proc/$(cat "$1/pid")/cmdline" 2>/dev/null | grep -qF "$1"; }`;

/**
 * Starts a run apart from the line it was started over. One that is under way is joined, and waited for
 * when it is another; one that ended well while nobody looked is taken as it is. Signals are for
 * the program; the shell around it stays to write down how it ended.
 */
const START = `set -eu
all=$1 name=$2 key=$3; shift 3; run=$all/$name; umask 077; mkdir -p "$run"
${ALIVE}
for other in "$all"/*; do if alive "$other"; then echo "joined \${other##*/}"; exit 0; fi; done
if [ ! -e "$run/taken" ] && [ "$(cat "$run/key" "$run/status" 2>/dev/null)" = "$key
0" ]; then echo "found $name"; exit 0; fi
rm -f "$run/status" "$run/taken" "$run/result"; : > "$run/events"; echo "$key" > "$run/key"
setsid sh -c 'run=$1; shift; trap : INT TERM
"$@" > "$run/result" 2>> "$run/events"; echo $? > "$run/status"
echo "${ENDED}" >> "$run/events"' atoll-run "$run" "$@" < /dev/null > /dev/null 2>&1 &
echo $! > "$run/pid"
echo "started $name"`;

const TAKE = 'cat "$1/result"; : > "$1/taken"';

const STOP = `pid=$(cat "$1/pid") || exit 0; kill -TERM "-$pid" 2>/dev/null
left=300; while [ ! -f "$1/status" ] && kill -0 "$pid" 2>/dev/null && [ "$left" -gt 0 ]; do sleep 0.1; left=$((left - 1)); done`;

/** Of a shell script: ends all runs below a folder, however long that takes them. */
export const STOP_ALL = `${ALIVE}
for run in "$1"/.atoll/there/*; do
  alive "$run" || continue
  kill -TERM "-$(cat "$run/pid")"; left=600
  while alive "$run" && [ "$left" -gt 0 ]; do sleep 0.1; left=$((left - 1)); done
  ! alive "$run" || kill -KILL "-$(cat "$run/pid")"
done`;

export interface ThereRun {
  readonly host: Host;
  readonly place: BastionPlace;
  /** What the run is called: one of a name runs at a time. */
  readonly name: string;
  /** What it depends on: the result of a run for something else is not ours. */
  readonly key: string;
  /** Arguments of atoll. */
  readonly args: readonly string[];
  /** What it needs in its environment; nothing secret. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly log: (line: string) => void;
}

const resultSchema = z.object({
  // It was JSON in the file: what is in it is for the stage that wrote it.
  outputs: z.record(z.string(), z.custom<JsonObject>(isObject)).exactOptional(),
  error: z
    .object({ code: z.string(), message: z.string(), hint: z.string().exactOptional() })
    .exactOptional(),
});
type ThereResult = z.output<typeof resultSchema>;

/**
 * Runs atoll on the bastion and tells its events as our own. A lost line is taken up again; a run that
 * outlived whoever started it is joined, not started twice. To stop us is to stop it.
 */
export async function runThere(ctx: Context, run: ThereRun): Promise<ThereResult> {
  const { host, place, name, args } = run;
  const all = `${place.paths.state}/there`;
  const said = Object.entries(run.env ?? {}).map(([key, value]) => `${key}=${value}`);
  const command = [
    'env',
    ...said,
    place.program,
    ...args,
    '--site',
    place.siteFile,
    '--output',
    'json',
  ];
  const words = [all, name, hashOf([...args, run.key]), ...command];
  for (;;) {
    const said = await must(ctx, host, 'sh', ['-c', START, 'start', ...words]);
    const [state, found = name] = said.split(' ');
    if (state === 'joined') note(ctx, `Joined the run of stage ${found} on ${host.name}`);
    if (state === 'found') note(ctx, `Stage ${found} had ended on ${host.name} meanwhile`);
    await tellOrStop(ctx, run, `${all}/${found}`);
    if (found !== name) continue;
    return resultOf(host, await must(ctx, host, 'sh', ['-c', TAKE, 'take', `${all}/${name}`]));
  }
}

const note = (ctx: Context, message: string) => ctx.emit({ type: 'note.added', message });

async function tellOrStop(ctx: Context, run: ThereRun, folder: string): Promise<void> {
  try {
    await tellEvents(ctx, run, `${folder}/events`);
  } catch (error) {
    if (ctx.signal.aborted) await stopThere(ctx, run.host, folder);
    throw error;
  }
}

async function stopThere(ctx: Context, host: Host, folder: string): Promise<void> {
  const own = { ...ctx, signal: AbortSignal.timeout(60_000) };
  await host.run(own, 'sh', ['-c', STOP, 'stop', folder]).catch(() => undefined);
}

async function tellEvents(ctx: Context, { host, log }: ThereRun, path: string): Promise<void> {
  for await (const line of host.follow(ctx, path)) {
    if (line === ENDED) return;
    const event = eventOfLine(line);
    if (event === undefined) log(line);
    else if (isNews(event)) ctx.emit(event);
  }
  ctx.signal.throwIfAborted();
}

/** Runs and steps are ours to tell: there they are only a part of one of ours. */
const isNews = ({ type }: AtollEvent) => !type.startsWith('run.') && !type.startsWith('step.');

function resultOf(host: Host, text: string): ThereResult {
  const result = resultSchema.safeParse(parseJson(text)).data;
  if (result?.error === undefined && result !== undefined) return result;
  const { code, message, hint } = result?.error ?? { code: '', message: 'it said nothing' };
  const known = ERROR_NAMES.find((name): name is ErrorCode => name === code);
  throw new AtollError(known ?? 'PROGRAM_FAILED', `On ${host.name}: ${message}`, { hint });
}
