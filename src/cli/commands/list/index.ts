import type { Command } from '../../command.ts';
import { listOperatorsCommand } from './operators.ts';
import { listReleasesCommand } from './releases.ts';

/** What there is to mirror, by the words of oc-mirror. */
export const LIST_COMMANDS: readonly Command[] = [listReleasesCommand, listOperatorsCommand];
