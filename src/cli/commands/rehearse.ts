import { formatBytes, formatDuration, formatRate } from '../../core/format.ts';
import { selfCommand } from '../../core/self.ts';
import type { RehearsalFinding } from '../../rehearse/findings.ts';
import { NAMESPACE_VARIABLE } from '../../rehearse/isolate/namespace-plan.ts';
import type { Rehearsal } from '../../rehearse/rehearse.ts';
import { type RehearsalResult, runRehearsal } from '../../rehearse/run-rehearsal.ts';
import { defineCommand, type Style } from '../command.ts';
import { UI_SWITCH } from '../dashboard-options.ts';
import { argumentsOf } from '../options.ts';
import { besideRehearsalPage } from './rehearsal-page.ts';
import { REHEARSE_OPTIONS, type RehearseFlags, rehearseInput } from './rehearse-input.ts';

export const rehearseCommand = defineCommand({
  name: 'rehearse',
  summary: 'Pull everything the cluster will pull, as a node would, before anything boots',
  description:
    'Uses the generated configuration and nothing of this machine: mirror rules, pull secret, trust, names ' +
    'and policy of the nodes. Reports each hole with the rule that should have caught it and the command ' +
    'that closes it. Exits 0 when a node could pull every image, 7 when the mirror lacks content, 3 when ' +
    'only the configuration is at fault.',
  arguments: [
    {
      name: 'folder',
      summary: 'Folders of generated configuration, searched for files with the usual names',
      optional: true,
      variadic: true,
    },
  ],
  options: { ...REHEARSE_OPTIONS, ...UI_SWITCH },
  examples: {
    'atoll rehearse --install-config install-config.yaml --release quay.io/openshift-release-dev/ocp-release@sha256:…':
      'a release through the rules, trust and pull secret of an install-config',
    'atoll rehearse --install-config install-config.yaml --mirror-sets working-dir/cluster-resources/idms-oc-mirror.yaml --report working-dir/mirrored.json --depth full':
      'all that was mirrored, down to the last byte',
    'atoll rehearse generated/ --report working-dir/mirrored.json': 'a folder of generated files',
    'atoll rehearse --site atoll.yaml --ui':
      'what a site generated and mirrored; the result is in its dashboard, too',
    'atoll rehearse generated/ --report working-dir/mirrored.json --isolate':
      'where nothing but the mirror can be reached',
    'atoll rehearse generated/ --report working-dir/mirrored.json --nodes 9 --nic 25G --disk 2G':
      'and how long the pulls of nine nodes take',
  },
  async run(ctx, { args, options, terminal }): Promise<RehearsalResult> {
    const { config, options: run, state } = await rehearseInput(args.rest, options, terminal.env);
    const page = { wanted: options.ui, terminal, state, mirror: options.mirror.join(', ') };
    return await besideRehearsalPage(ctx, page, (inner) =>
      runRehearsal(inner, config, {
        ...run,
        namespacePlan: terminal.env[NAMESPACE_VARIABLE],
        isolate: options.isolate ? sameAgain(args.rest, options) : undefined,
      }),
    );
  },
  text: rehearsalText,
  exitCode,
});

/** Content that is missing weighs more than configuration: it takes longer to bring. */
function exitCode({ clean, findings, unread }: Rehearsal): number {
  if (clean) return 0;
  const holes = findings.filter(({ severity }) => severity === 'hole');
  const isContent = holes.some(({ fault }) => fault === 'content');
  return isContent || (holes.length === 0 && unread.length > 0) ? 7 : 3;
}

/** The same command line for the process in the namespace. */
function sameAgain(folders: readonly string[], flags: RehearseFlags) {
  const { file, args } = selfCommand();
  const own = argumentsOf({ ...flags, isolate: false }, REHEARSE_OPTIONS);
  return { file, args: [...args, 'rehearse', '--output', 'json', ...own, ...folders] };
}

const SHOWN_IMAGES = 8;
const SHOWN_COMMANDS = 4;

/** A rehearsal for people: the verdict, then each cause with what it costs and what closes it. */
function rehearsalText(rehearsal: RehearsalResult, style: Style): string {
  const { findings, unread, unchecked } = rehearsal;
  return [
    verdict(rehearsal, style),
    ...findings.flatMap((finding) => ['', ...findingLines(finding, style)]),
    ...unread.flatMap(({ subject, message }) => [
      '',
      `${style.red('not listed')} ${subject}: what it holds was not rehearsed`,
      `  ${style.dim('because')} ${message}`,
    ]),
    ...(unchecked.length > 0 ? [''] : []),
    ...unchecked.map((what) => `${style.dim('not looked at:')} ${what}`),
    ...stormLines(rehearsal, style),
    ...modelLines(rehearsal, style),
  ].join('\n');
}

function verdict(rehearsal: RehearsalResult, style: Style): string {
  const { clean, images, pullable, blobs, downloadedBytes, depth, registries, isolated } =
    rehearsal;
  const word = clean ? style.green('clean') : style.red('not ready');
  const looked =
    depth === 'full'
      ? `${blobs} blobs read (${formatBytes(downloadedBytes)})`
      : `${blobs} blobs asked for, none read: use --depth full to find damage`;
  return `${word}: ${pullable} of ${images} images can be pulled from ${registries.join(', ') || 'no mirror'}${isolated ? ', and from nowhere else' : ''}; ${looked}`;
}

function findingLines(finding: RehearsalFinding, style: Style): string[] {
  const { severity, cause, title, rule, commands, evidence, images } = finding;
  const mark = severity === 'hole' ? style.red('hole') : style.yellow('warning');
  return [
    `${mark} ${style.bold(title)} [${cause}]`,
    `  ${style.dim('rule ')} ${rule}`,
    ...evidence.slice(0, 2).map((line) => `  ${style.dim('seen ')} ${line}`),
    ...limited(commands, SHOWN_COMMANDS).map(
      (line) => `  ${style.dim('close')} ${style.cyan(line)}`,
    ),
    ...limited(
      images.map(({ name, reason }) => `${name} (${reason})`),
      SHOWN_IMAGES,
    ).map((line) => `    ${line}`),
  ];
}

function limited(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `… ${lines.length - most} more; --output json shows all`];
}

function stormLines({ storm }: RehearsalResult, style: Style): string[] {
  if (!storm) return [];
  const { firstByteMs: first, imageMs: image } = storm;
  return [
    '',
    `${style.bold('storm')} ${storm.nodes} machines pulled ${storm.images} images, ${formatBytes(storm.bytes)} in ${storm.requests} requests`,
    `  ${formatRate(storm.bytesPerSecond)}; answers begin after ${first.p50} ms (p50), ${first.p99} ms (p99); an image takes ${formatDuration(image.p50)} (p50), ${formatDuration(image.p99)} (p99)`,
    `  an install of this size would spend ${formatDuration(storm.durationMs)} pulling, measured from this one machine`,
    ...storm.phases.map(
      ({ role, nodes, bytes, durationMs }) =>
        `    ${role} (${nodes}): ${formatBytes(bytes)} in ${formatDuration(durationMs)}`,
    ),
    ...(storm.failed > 0 ? [`  ${style.red(`${storm.failed} pulls failed`)}`] : []),
    ...storm.errors.map(({ node, image: name, message }) => `    ${node}: ${name}: ${message}`),
  ];
}

function modelLines({ models, assumptions, relief }: RehearsalResult, style: Style): string[] {
  if (!models || models.length === 0) return [];
  return [
    '',
    style.bold('model'),
    ...models.map(({ nodes, bytes, seconds, phases }) => {
      const bounds = [...new Set(phases.map(({ bound }) => bound))].join(', ');
      return `  ${nodes} machines: ${formatBytes(bytes)} in ${formatDuration(seconds * 1000)}, held up by: ${bounds}`;
    }),
    ...(assumptions ?? []).map((line) => `  ${style.dim(`assumed: ${line}`)}`),
    ...(relief ?? []).map((line) => `  ${style.bold('relief')} ${line}`),
  ];
}
