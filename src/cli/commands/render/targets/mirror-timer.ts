import * as z from 'zod';
import { commandWords } from '../../../../core/command-words.ts';
import { AtollError, messageOf } from '../../../../core/errors.ts';
import { mirrorService, mirrorTimer } from '../../../../generate/units/mirror-timer.ts';
import { REGISTRY_DEFAULTS } from '../../../../generate/units/registry-unit.ts';
import { parseArguments } from '../../../parse.ts';
import { choice, text } from '../flags.ts';
import { renderTarget } from '../target.ts';

export const mirrorTimerTarget = renderTarget({
  name: 'mirror-timer',
  summary: 'systemd service and timer that keep a mirror in shape on schedule',
  schema: z.object({
    part: choice('PART', ['service', 'timer'], 'Which of the two files').default('service'),
    run: text('COMMAND', 'What the service runs, without "atoll"; quoted as in a shell').optional(),
    schedule: text('CALENDAR', 'When, as systemd writes it').default('daily'),
    program: text('PATH', 'atoll itself').default(REGISTRY_DEFAULTS.program),
    folder: text('DIR', 'Folder to run in: where working-dir is').optional(),
    user: text('NAME', 'User of the service').optional(),
  }),
  examples: {
    'atoll render mirror-timer --run "mirror sync -c imageset.yaml --to docker://mirror.example:5000 --max-rate 20M --window 22:00-06:00" --to /etc/systemd/system/atoll-mirror.service':
      'what runs',
    'atoll render mirror-timer --part timer --schedule 22:00 --to /etc/systemd/system/atoll-mirror.timer':
      'and when; then "systemctl enable --now atoll-mirror.timer"',
  },
  make: async ({ part, run, schedule, program, folder, user }) =>
    part === 'timer'
      ? mirrorTimer({ schedule })
      : mirrorService({ command: await checkedCommand(run), program, folder, user }),
});

/** A command that atoll would refuse is better refused now than every night. */
async function checkedCommand(line = ''): Promise<string[]> {
  const words = commandWords(line);
  if (!words) throw unusable(line, 'a quote has no end');
  try {
    const parsed = parseArguments(words, await scheduled());
    if (parsed.kind === 'words') throw new Error('it only shows help');
    const { command, options, globals } = parsed;
    if (options.execute && !globals.yes) throw new Error(`"${command.name}" asks first: add --yes`);
    return words;
  } catch (error) {
    throw unusable(line, messageOf(error));
  }
}

/** What makes sense at night: content of mirrors, and the registry. */
async function scheduled() {
  const [{ MIRROR_COMMANDS }, { REGISTRY_COMMANDS }] = await Promise.all([
    import('../../mirror/index.ts'),
    import('../../registry/index.ts'),
  ]);
  const commands = [...MIRROR_COMMANDS, ...REGISTRY_COMMANDS];
  return { commands, groups: { mirror: 'Mirror', registry: 'Registry' } };
}

function unusable(line: string, found: string): AtollError {
  return new AtollError('USAGE', `Cannot run "${line}" on schedule: ${found}`, {
    hint: 'Give --run a whole command, such as "mirror outdated -c imageset.yaml --at docker://mirror.example:5000"',
  });
}
