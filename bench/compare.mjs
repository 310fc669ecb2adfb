// Commands that take turns, timed from outside.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const { PATH, HOME } = process.env;
/** `time` of the shell: wall, user and system seconds of what it starts. */
const TIMED = 'TIMEFORMAT="%R %U %S"; time "$@" >"$OUTPUT" 2>&1';

/** All commands in each round, the first round uncounted: it copies, and fills caches of files. */
export function compare(commands, rounds, folder, unit, goals) {
  const names = Object.keys(commands);
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(turn + round) % names.length];
      const figures = measure(commands[name], join(folder, 'output'));
      if (round > 0) runs[name].push(figures);
    }
  }
  for (const name of names)
    console.log(
      `${name.padEnd(12)} ${median(runs[name], 'seconds').toFixed(3)} s, ${median(runs[name], 'processor').toFixed(3)} s of processor`,
    );
  return goals
    .filter(([, peer]) => runs[peer])
    .map(([ours, peer, atMost]) => {
      const ratio = median(runs[ours], unit) / median(runs[peer], unit);
      const missed = ratio > atMost;
      console.log(
        `${ours} of ${peer}, ${unit}: ${ratio.toFixed(2)} (at most ${atMost}: ${missed ? 'MISSED' : 'met'})`,
      );
      return missed;
    })
    .some((missed) => missed);
}

function measure(command, output) {
  const { stderr, status } = spawnSync('bash', ['-c', TIMED, 'time', ...command], {
    env: { PATH, HOME, OUTPUT: output },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${command.slice(0, 4).join(' ')} ended with ${status}`);
  const [seconds, user, system] = stderr.trim().split(/\s+/).slice(-3).map(Number);
  return { seconds, processor: user + system };
}

const median = (runs, unit) => {
  const sorted = runs.map((figures) => figures[unit]).toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
};
