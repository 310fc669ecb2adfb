import type { Command } from '../../command.ts';
import { stepGraphCommand } from './graph.ts';
import { stepListCommand } from './list.ts';
import { stepRunCommand } from './run.ts';
import { stepShowCommand } from './show.ts';

export const STEP_COMMANDS: readonly Command[] = [
  stepListCommand,
  stepShowCommand,
  stepGraphCommand,
  stepRunCommand,
];
