import { resolve } from 'node:path';
import { AtollError } from '../../../core/errors.ts';
import { counted, formatBytes, parseSpan } from '../../../core/format.ts';
import { parseDestination } from '../../../mirror/destination.ts';
import { type FollowReport, followRegistry, keepFollowing } from '../../../mirror/follow/follow.ts';
import { defineCommand, type Style } from '../../command.ts';
import { number, onOff, text, texts } from '../../flags.ts';
import { REGISTRY_OPTIONS, VERIFY_TARGET, withRegistries } from '../../registry-options.ts';
import { failureLines } from './failure-text.ts';

/** Which images of a registry are meant. */
export const FILTER_OPTIONS = {
  include: texts('PATTERN', 'Only repositories that fit; * is any text'),
  exclude: texts('PATTERN', 'Not the repositories that fit'),
  tag: texts('PATTERN', 'Only tags that fit'),
} as const;

export const mirrorFollowCommand = defineCommand({
  name: 'mirror follow',
  summary: 'Keep a second mirror in step with the first: tags, signatures and, if asked, deletions',
  description:
    'Reads the repositories and tags of one registry and copies what the other lacks, with ' +
    'signatures and other artifacts, digests unchanged. With --every it goes on until it is ' +
    'stopped. A pass that was interrupted is continued by the next. Render rules that name both with --also-at.',
  options: {
    from: text('docker://HOST[/PATH]', 'The mirror to follow', { required: true }),
    to: text('docker://HOST[/PATH]', 'The mirror that follows', { required: true }),
    every: text('TIME', 'Do it again after so long: 90s, 15m, 6h'),
    remove: onOff('Remove what the first has no more, if following brought it'),
    maxRemovals: number('COUNT', 'More than this at once is taken for a mistake', { default: 100 }),
    dir: text('DIR', 'Where working-dir is: what following brought', { default: '.' }),
    dryRun: onOff('Say what is there and what would be removed, and change nothing'),
    concurrency: number('N', 'Blobs under way at once'),
    ...FILTER_OPTIONS,
    verifyTarget: VERIFY_TARGET,
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll mirror follow --from docker://mirror-a.example.com:8443 --to docker://mirror-b.example.com:8443 --every 15m --remove':
      'for as long as it runs',
    'atoll mirror follow --from docker://mirror-a.example.com:8443/ocp --to docker://mirror-b.example.com:8443/ocp':
      'once, what is below ocp',
  },
  async run(ctx, { options, terminal }): Promise<FollowReport> {
    const everyMs = options.every === undefined ? undefined : spanOf(options.every);
    return await withRegistries(options, terminal, async (registries) => {
      const follow = {
        registries,
        from: parseDestination(options.from),
        to: parseDestination(options.to),
        filter: { include: options.include, exclude: options.exclude, tags: options.tag },
        memory: resolve(options.dir, 'working-dir'),
        remove: options.remove,
        maxRemovals: options.maxRemovals,
        concurrency: options.concurrency,
        dryRun: options.dryRun,
      };
      if (everyMs === undefined) return await followRegistry(ctx, follow);
      return await keepFollowing(ctx, follow, everyMs);
    });
  },
  text: followText,
  exitCode: ({ failed }) => (failed.length > 0 ? 7 : 0),
});

function spanOf(value: string): number {
  const ms = parseSpan(value);
  if (ms !== undefined && ms > 0) return ms;
  throw new AtollError('USAGE', `Cannot read "${value}" as a length of time`, {
    hint: 'Write it as 90s, 15m or 6h',
  });
}

export function followText(report: FollowReport, style: Style): string {
  const failures = report.failed.map(({ image, error }) => ({
    message: '',
    ...error,
    subject: image,
  }));
  return [
    ...failureLines(failures, style),
    ...report.removed.map((name) => `removed ${name}`),
    `${counted(report.images, 'tag')} in ${report.repositories} repositories: ${report.copied} copied ` +
      `(${formatBytes(report.copiedBytes)}), ${report.skipped} were there, ${report.failed.length} failed`,
  ].join('\n');
}
