import type { Command } from '../command.ts';
import { bootstrapInspectCommand } from './bootstrap/inspect.ts';
import { bootstrapTimelineCommand } from './bootstrap/timeline.ts';
import { CATALOG_COMMANDS } from './catalog/index.ts';
import { completionCommand } from './completion.ts';
import { diagnoseCommand } from './diagnose.ts';
import { downCommand } from './down.ts';
import { initCommand } from './init.ts';
import { labCommand } from './lab.ts';
import { labNodeCommand } from './lab-node.ts';
import { MIRROR_COMMANDS } from './mirror/index.ts';
import { planCommand } from './plan.ts';
import { REGISTRY_COMMANDS } from './registry/index.ts';
import { RELEASE_COMMANDS } from './release/index.ts';
import { RENDER_COMMANDS } from './render/index.ts';
import { statusCommand } from './status.ts';
import { stepGraphCommand } from './step/graph.ts';
import { stepListCommand } from './step/list.ts';
import { stepRunCommand } from './step/run.ts';
import { stepShowCommand } from './step/show.ts';
import { upCommand } from './up.ts';
import { validateCommand } from './validate.ts';
import { versionCommand } from './version.ts';

/** What the words that only group commands mean. */
export const GROUPS: Readonly<Record<string, string>> = {
  mirror: 'Move images: sync, save, load, copy, delete',
  release: 'Look into an OpenShift release payload',
  catalog: 'Look into an operator catalog',
  registry: 'Run and look after the embedded mirror registry',
  'registry user': 'Users of the embedded registry',
  render: 'Print configuration files that point at the mirror',
  bootstrap: 'Understand what a bootstrap machine does',
  step: 'Steps, chains and workflows',
};

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly Command[] = [
  labCommand,
  initCommand,
  validateCommand,
  planCommand,
  upCommand,
  statusCommand,
  downCommand,
  ...MIRROR_COMMANDS,
  ...RELEASE_COMMANDS,
  ...CATALOG_COMMANDS,
  ...REGISTRY_COMMANDS,
  ...RENDER_COMMANDS,
  stepListCommand,
  stepShowCommand,
  stepGraphCommand,
  stepRunCommand,
  bootstrapInspectCommand,
  bootstrapTimelineCommand,
  diagnoseCommand,
  labNodeCommand,
  completionCommand(() => COMMANDS, GROUPS),
  versionCommand,
];
