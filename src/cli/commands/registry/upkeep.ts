import { AtollError } from '../../../core/errors.ts';
import { counted, formatBytes } from '../../../core/format.ts';
import { protectTags } from '../../../registry/storage/tag-protection.ts';
import { checkRegistry } from '../../../registry/upkeep/check.ts';
import { collectRegistry } from '../../../registry/upkeep/gc.ts';
import { applyRetention } from '../../../registry/upkeep/retention.ts';
import { registryUsage } from '../../../registry/upkeep/usage.ts';
import { defineCommand } from '../../command.ts';
import { REGISTRY_OPTIONS, registriesFrom } from '../../registry-options.ts';
import { columns } from '../../table.ts';
import { FOLDER_OPTIONS, openStore, readFolder } from './image-registry-folder.ts';

const MINUTE_MS = 60_000;
const HEAL = 'next: push the images again, or run it with --repair-from a registry that has them';

export const registryGcCommand = defineCommand({
  name: 'registry gc',
  summary: 'Remove content that no image needs; the registry may run meanwhile',
  options: {
    grace: {
      type: 'number',
      value: 'MINUTES',
      default: 60,
      summary:
        'Content younger than this stays: somebody may be pushing an image that needs it. With 0 ' +
        'unfinished uploads go too',
    },
    dryRun: { type: 'boolean', summary: 'Say what would go, and change nothing' },
    ...FOLDER_OPTIONS,
  },
  examples: {
    'atoll registry gc --dry-run': 'what would be freed',
    'atoll registry gc --grace 1440': 'leave the last day alone',
  },
  async run(ctx, { options }) {
    if (options.grace < 0)
      throw new AtollError('USAGE', 'Cannot use a negative --grace', {
        hint: 'Give minutes, or 0',
      });
    const store = await openStore(await readFolder(options));
    const graceMs = options.grace * MINUTE_MS;
    // A grace of zero says that no client is pushing, so unfinished uploads may go, too.
    const uploadGraceMs = graceMs === 0 ? 0 : undefined;
    return await collectRegistry(ctx, store, { graceMs, uploadGraceMs, dryRun: options.dryRun });
  },
  text: (report) =>
    `${report.dryRun ? 'would remove' : 'removed'} ${counted(report.removedBlobs, 'blob')}, ` +
    (report.removedUploads > 0 ? `${counted(report.removedUploads, 'unfinished upload')}, ` : '') +
    `${formatBytes(report.freedBytes)}; kept ${report.keptBlobs}, ${formatBytes(report.keptBytes)}` +
    (report.youngBlobs > 0 ? ` (${report.youngBlobs} of them only because they are young)` : ''),
});

export const registryRetainCommand = defineCommand({
  name: 'registry retain',
  summary:
    'Remove the tags that the rules of retention no longer keep; "serve" does so before each gc',
  options: {
    dryRun: { type: 'boolean', summary: 'Say what would go, and change nothing' },
    ...FOLDER_OPTIONS,
  },
  examples: { 'atoll registry retain --dry-run': 'what the rules in config.yaml would remove' },
  async run(ctx, { options }) {
    const file = await readFolder(options);
    return await applyRetention(ctx, await openStore(file), {
      rules: file.retention ?? [],
      isProtected: protectTags(file.protectedTags ?? []),
      dryRun: options.dryRun,
    });
  },
  text: ({ removedTags, removedManifests, dryRun }) =>
    [
      ...removedTags.map((tag) => `${dryRun ? 'would remove' : 'removed'} ${tag}`),
      `${counted(removedTags.length, 'tag')}, ${counted(removedManifests, 'manifest')}`,
    ].join('\n'),
});

export const registryCheckCommand = defineCommand({
  name: 'registry check',
  summary: 'Read all content again; name what is damaged and which images it breaks',
  description:
    'Compares every blob with its digest, and looks for blobs that images need and that are not ' +
    'there. Exits 5 while something is wrong. With --repair-from it is fetched again.',
  options: {
    repairFrom: {
      type: 'string',
      value: 'REGISTRY',
      summary: 'Host of a registry with the same repositories to fetch damaged content from',
    },
    ...FOLDER_OPTIONS,
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll registry check': 'damaged content, and images that need it',
    'atoll registry check --repair-from other.example.com:8443': 'and fetch it again',
  },
  async run(ctx, { options, terminal }) {
    const store = await openStore(await readFolder(options));
    if (options.repairFrom === undefined) return await checkRegistry(ctx, store);
    const registries = registriesFrom(options, terminal);
    try {
      const connect = (registry: string, repository: string) =>
        registries.repository(registry, repository);
      return await checkRegistry(ctx, store, {
        repairFrom: { registry: options.repairFrom, connect },
      });
    } finally {
      await registries.close();
    }
  },
  text: (report, style) =>
    [
      ...report.problems.flatMap(({ digest, found, detail, references }) => [
        `${style.red(found)} ${digest}: ${detail}`,
        ...references.map((name) => `  breaks ${name}`),
      ]),
      ...report.repaired.map((digest) => `${style.green('repaired')} ${digest}`),
      `${counted(report.blobs, 'blob')}, ${formatBytes(report.bytes)}, ${counted(report.problems.length, 'problem')}`,
      ...(report.problems.length > 0 ? [HEAL] : []),
    ].join('\n'),
  exitCode: ({ problems }) => (problems.length > 0 ? 5 : 0),
});

export const registryUsageCommand = defineCommand({
  name: 'registry usage',
  summary: 'Show how much each repository holds, alone and together with others',
  options: FOLDER_OPTIONS,
  examples: {
    'atoll registry usage': 'largest first',
  },
  async run(ctx, { options }) {
    return await registryUsage(ctx, await openStore(await readFolder(options)));
  },
  text: ({ repositories, totalBytes, unlinkedBytes }) => {
    const rows = repositories.map((each) => [
      each.repository,
      formatBytes(each.bytes),
      formatBytes(each.uniqueBytes),
      formatBytes(each.sharedBytes),
      String(each.tags),
    ]);
    const heading = ['REPOSITORY', 'TOTAL', 'UNIQUE', 'SHARED', 'TAGS'];
    return [
      ...columns([heading, ...rows], { right: [1, 2, 3, 4] }),
      `on disk ${formatBytes(totalBytes)}, of which ${formatBytes(unlinkedBytes)} belong to no repository`,
    ].join('\n');
  },
});
