#!/usr/bin/env node
import { loadCommands } from './commands/load.ts';
import { start } from './start.ts';

void loadCommands(process.argv.slice(2)).then(start);
