import { resolve } from 'node:path';
import { readImageSet } from '../../../content/image-set/parse-image-set.ts';
import { AtollError } from '../../../core/errors.ts';
import { counted, formatBytes } from '../../../core/format.ts';
import { parseDestination } from '../../../mirror/destination.ts';
import { requireSeen, writeDeleteList } from '../../../mirror/flow/delete/delete-list.ts';
import { type DeleteResult, executeDelete } from '../../../mirror/flow/delete/execute-delete.ts';
import { planDelete, targetsOf } from '../../../mirror/flow/delete/plan-delete.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { defineCommand, type Style } from '../../command.ts';
import { onOff, text } from '../../flags.ts';
import { MIRROR_OPTIONS } from '../../mirror-options.ts';
import { REGISTRY_OPTIONS, withRegistries } from '../../registry-options.ts';

interface PlannedDelete {
  readonly images: readonly string[];
  readonly shared: number;
  readonly freedBytes: number;
  readonly listFile: string;
}

type Outcome =
  | { readonly plan: PlannedDelete; readonly result?: undefined }
  | { readonly result: DeleteResult; readonly plan?: undefined };

export const mirrorDeleteCommand = defineCommand({
  name: 'mirror delete',
  summary: 'Remove what nobody needs any more from a mirror: first a list, then --execute',
  description:
    'Takes a DeleteImageSetConfiguration and what the mirror is known to hold (working-dir/mirrored.json); nothing upstream is asked. Images and content that something else needs stay. The registry frees the bytes when it collects garbage: "atoll registry gc" for the embedded one.',
  options: {
    config: text('FILE', 'DeleteImageSetConfiguration, v2alpha1', { short: 'c', required: true }),
    at: text('docker://HOST[/PATH]', 'The mirror', { required: true }),
    execute: onOff('Remove what the list of the last run names'),
    dir: MIRROR_OPTIONS.dir,
    icsp: MIRROR_OPTIONS.icsp,
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll mirror delete -c delete.yaml --at docker://mirror.example.com:5000/ocp':
      'writes working-dir/delete/delete-images.yaml, removes nothing',
    'atoll mirror delete -c delete.yaml --at docker://mirror.example.com:5000/ocp --execute':
      'removes exactly that',
  },
  async run(ctx, { options, terminal }): Promise<Outcome> {
    const imageSet = await readImageSet(resolve(options.config));
    const destination = parseDestination(options.at);
    const workingDir = new WorkingDir(resolve(options.dir));
    return withRegistries(options, terminal, async (registries) => {
      const common = { workingDir, registries };
      return await workingDir.exclusively(ctx, async () => {
        const plan = await planDelete(ctx, { imageSet, destination, ...common });
        if (!options.execute) {
          const listFile = await writeDeleteList(workingDir, plan);
          const { freedBytes, shared } = plan;
          return { plan: { images: targetsOf(plan), shared: shared.length, freedBytes, listFile } };
        }
        await requireSeen(workingDir, plan);
        const question = `Remove ${counted(plan.deleted.length, 'image')} from ${options.at}?`;
        if (!(await terminal.confirm(question))) {
          throw new AtollError('INTERRUPTED', 'Nothing was removed');
        }
        return { result: await executeDelete(ctx, plan, { ...common, icsp: options.icsp }) };
      });
    });
  },
  text: ({ plan, result }, style) => (plan ? planText(plan, style) : deletedText(result, style)),
  exitCode: ({ result }) => (result && result.failures.length > 0 ? 7 : 0),
});

function planText(plan: PlannedDelete, style: Style): string {
  return [
    `${style.bold(counted(plan.images.length, 'image'))} would go, ${plan.shared} stay because others need them`,
    `${formatBytes(plan.freedBytes)} would be free after the registry collected its garbage`,
    `${style.dim('list')} ${plan.listFile}`,
    'next: look at it, then run the same command with --execute',
  ].join('\n');
}

function deletedText(result: DeleteResult, style: Style): string {
  const { deleted, untagged, failures, freedBytes, resources } = result;
  return [
    `${style.bold(counted(deleted.length, 'image'))} removed, ${untagged} of them only by name: others need their content`,
    ...failures.map(({ target, message }) => `${style.red('failed')} ${target}: ${message}`),
    `${formatBytes(freedBytes)} are free after the registry collects its garbage ("atoll registry gc" for the embedded one)`,
    ...resources.map((file) => `${style.dim('resource')} ${file}`),
  ].join('\n');
}
