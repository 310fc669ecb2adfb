import { releaseInfoWithStreams } from '../../../content/release/release-info.ts';
import { defineCommand, type Style } from '../../command.ts';
import { columns } from '../../table.ts';
import { RELEASE_ARGUMENT, RELEASE_OPTIONS, withRelease } from './release-input.ts';

export const releaseInfoCommand = defineCommand({
  name: 'release info',
  summary: 'Show what a release is: version, digest, what updates to it, its components',
  arguments: [RELEASE_ARGUMENT],
  options: RELEASE_OPTIONS,
  examples: {
    'atoll release info quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64':
      'a release by its image',
    'atoll release info 4.18.1 --arch arm64': 'the same by version, from the update graph',
    'atoll release info mirror.example:8443/ocp/openshift/release-images:4.18.1-x86_64':
      'a release on the mirror',
  },
  run: (ctx, input) =>
    withRelease(ctx, input, ({ release, reach }) => releaseInfoWithStreams(ctx, release, reach)),
  text: infoText,
});

function infoText(info: Awaited<ReturnType<typeof releaseInfoWithStreams>>, style: Style): string {
  const rows: [string, string][] = [
    ['Version', style.bold(info.version)],
    ['Digest', info.digest],
    ['Architecture', info.architecture],
    ['Created', info.created ?? 'unknown'],
    ['Read from', info.readFrom ?? 'a folder'],
    ['Errata', info.url ?? 'none'],
    ['Updates from', info.previous.join(', ') || 'nothing'],
    ['Components', String(info.components)],
    ['Manifests', String(info.manifests)],
    ...(info.osStreams ?? []).map(({ name, osImage }): [string, string] => [name, osImage]),
    ...Object.entries(info.versions).map(([name, value]): [string, string] => [name, value]),
  ];
  return columns(rows.map(([name, value]) => [style.dim(name), value])).join('\n');
}
