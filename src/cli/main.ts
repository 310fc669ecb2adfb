#!/usr/bin/env node
import { COMMANDS, GROUPS } from './commands/index.ts';
import { start } from './start.ts';

start({ commands: COMMANDS, groups: GROUPS });
