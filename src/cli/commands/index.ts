import type { Command } from '../command.ts';
import { applyCommand } from './apply.ts';
import { BOOTSTRAP_COMMANDS } from './bootstrap/index.ts';
import { BUNDLE_COMMANDS } from './bundle/index.ts';
import { CATALOG_COMMANDS } from './catalog/index.ts';
import { completionCommand } from './completion.ts';
import { diagnoseCommand } from './diagnose.ts';
import { doctorCommand } from './doctor.ts';
import { downCommand } from './down.ts';
import { GROUPS } from './groups.ts';
import { initCommand } from './init.ts';
import { labCommand } from './lab.ts';
import { labNodeCommand } from './lab-node.ts';
import { LIST_COMMANDS } from './list/index.ts';
import { MIRROR_COMMANDS } from './mirror/index.ts';
import { planCommand } from './plan.ts';
import { rebuildLayersCommand } from './rebuild-layers.ts';
import { REGISTRY_COMMANDS } from './registry/index.ts';
import { rehearseCommand } from './rehearse.ts';
import { RELEASE_COMMANDS } from './release/index.ts';
import { RENDER_COMMANDS } from './render/index.ts';
import { statusCommand } from './status.ts';
import { STEP_COMMANDS } from './step/index.ts';
import { uiCommand } from './ui.ts';
import { upCommand } from './up.ts';
import { validateCommand } from './validate.ts';
import { verifyCommand } from './verify.ts';
import { versionCommand } from './version.ts';

export { GROUPS };

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly Command[] = [
  labCommand,
  initCommand,
  validateCommand,
  planCommand,
  doctorCommand,
  upCommand,
  statusCommand,
  uiCommand,
  downCommand,
  ...MIRROR_COMMANDS,
  ...BUNDLE_COMMANDS,
  ...LIST_COMMANDS,
  ...RELEASE_COMMANDS,
  ...CATALOG_COMMANDS,
  ...REGISTRY_COMMANDS,
  ...RENDER_COMMANDS,
  ...STEP_COMMANDS,
  ...BOOTSTRAP_COMMANDS,
  diagnoseCommand,
  rehearseCommand,
  applyCommand,
  verifyCommand,
  labNodeCommand,
  rebuildLayersCommand,
  completionCommand(() => COMMANDS, GROUPS),
  versionCommand,
];
