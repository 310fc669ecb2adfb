import { registryServeCommand } from './commands/registry/serve.ts';
import { start } from './start.ts';

// One of several processes of `registry serve`. It is the command line with this one command, which
// takes a third less memory than all of them.
start({ commands: [registryServeCommand], groups: { registry: '' } });
