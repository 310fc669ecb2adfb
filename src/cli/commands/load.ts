import { type Command, VERSION_FLAGS } from '../command.ts';
import type { CommandSet } from '../parse.ts';
import { GROUPS } from './groups.ts';

type Load = () => Promise<readonly Command[]>;

/** The commands by their first word or words, each loaded only when it is asked for. */
const LOADERS: Readonly<Record<string, Load>> = {
  lab: async () => [(await import('./lab.ts')).labCommand],
  init: async () => [(await import('./init.ts')).initCommand],
  validate: async () => [(await import('./validate.ts')).validateCommand],
  doctor: async () => [(await import('./doctor.ts')).doctorCommand],
  plan: async () => [(await import('./plan.ts')).planCommand],
  up: async () => [(await import('./up.ts')).upCommand],
  status: async () => [(await import('./status.ts')).statusCommand],
  ui: async () => [(await import('./ui.ts')).uiCommand],
  down: async () => [(await import('./down.ts')).downCommand],
  mirror: async () => (await import('./mirror/index.ts')).MIRROR_COMMANDS,
  'mirror sync': async () => [(await import('./mirror/sync.ts')).mirrorSyncCommand],
  'mirror save': async () => [(await import('./mirror/save.ts')).mirrorSaveCommand],
  'mirror load': async () => [(await import('./mirror/load.ts')).mirrorLoadCommand],
  'mirror copy': async () => [(await import('./mirror/copy.ts')).mirrorCopyCommand],
  'mirror follow': async () => [(await import('./mirror/follow.ts')).mirrorFollowCommand],
  bundle: async () => (await import('./bundle/index.ts')).BUNDLE_COMMANDS,
  release: async () => (await import('./release/index.ts')).RELEASE_COMMANDS,
  catalog: async () => (await import('./catalog/index.ts')).CATALOG_COMMANDS,
  registry: async () => (await import('./registry/index.ts')).REGISTRY_COMMANDS,
  render: async () => (await import('./render/index.ts')).RENDER_COMMANDS,
  step: async () => (await import('./step/index.ts')).STEP_COMMANDS,
  bootstrap: async () => (await import('./bootstrap/index.ts')).BOOTSTRAP_COMMANDS,
  diagnose: async () => [(await import('./diagnose.ts')).diagnoseCommand],
  rehearse: async () => [(await import('./rehearse.ts')).rehearseCommand],
  apply: async () => [(await import('./apply.ts')).applyCommand],
  verify: async () => [(await import('./verify.ts')).verifyCommand],
  'rebuild-layers': async () => [(await import('./rebuild-layers.ts')).rebuildLayersCommand],
  'lab-node': async () => [(await import('./lab-node.ts')).labNodeCommand],
  version: async () => [(await import('./version.ts')).versionCommand],
};

/**
 * The commands a command line may mean. Loading all of them takes most of a second, so only the one it
 * names or those that start with its first word are; anything else (help, completion, a slip) gets all.
 */
export async function loadCommands(argv: readonly string[]): Promise<CommandSet> {
  const [first = '', second = ''] = argv;
  const word = VERSION_FLAGS.has(first) ? 'version' : first;
  const known = [`${word} ${second}`, word].find((name) => Object.hasOwn(LOADERS, name));
  const load = known === undefined ? undefined : LOADERS[known];
  const commands = load ? await load() : (await import('./index.ts')).COMMANDS;
  return { commands, groups: GROUPS };
}
