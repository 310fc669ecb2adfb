import { extractManifests } from '../../../content/release/extract/extract-manifests.ts';
import {
  type ExtractedFile,
  extractTools,
} from '../../../content/release/extract/extract-tools.ts';
import { DEFAULT_TOOLS, thisPlatform, toolOf } from '../../../content/release/extract/tools.ts';
import { AtollError } from '../../../core/errors.ts';
import { counted, formatBytes } from '../../../core/format.ts';
import { parsePlatform } from '../../../oci/platform.ts';
import { defineCommand } from '../../command.ts';
import { onOff, text, texts } from '../../flags.ts';
import { RELEASE_ARGUMENT, RELEASE_OPTIONS, withRelease } from './release-input.ts';

export const releaseExtractCommand = defineCommand({
  name: 'release extract',
  summary: 'Take files out of a release: its manifests, credential requests, or its tools',
  description:
    'Without a choice every manifest of the payload is written. --tools takes openshift-install and ' +
    'oc, for this system unless --platform says otherwise; the installer is pinned to the release by ' +
    'digest, under the name the release was read by.',
  arguments: [RELEASE_ARGUMENT],
  options: {
    to: text('DIR', 'Folder for the files', { default: '.' }),
    tools: onOff('openshift-install and oc'),
    tool: texts('NAME', 'This tool: openshift-install, oc, ccoctl, openshift-baremetal-install'),
    platform: text('OS/ARCH', 'System the tools are for'),
    credentialsRequests: onOff('What operators ask of the cloud'),
    cloud: text('NAME', 'Cloud of the requests, such as aws'),
    file: texts('NAME', 'Only this manifest'),
    ...RELEASE_OPTIONS,
  },
  examples: {
    'atoll release extract --tools --to bin mirror.example:8443/ocp/openshift/release-images:4.18.1-x86_64':
      'oc and an installer that installs from the mirror',
    'atoll release extract --credentials-requests --cloud aws --to requests quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64':
      'for ccoctl',
    'atoll release extract --file image-references quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64':
      'one file',
  },
  run: (ctx, input) =>
    withRelease(ctx, input, async ({ release, reach }) => {
      const { to, tools, tool, platform, credentialsRequests, cloud, file } = input.options;
      if (credentialsRequests !== (cloud !== undefined)) throw cloudAndRequests();
      const { version, digest } = release.payload;
      const wanted = [...new Set([...(tools ? DEFAULT_TOOLS : []), ...tool])].map(toolOf);
      const system = platform === undefined ? thisPlatform() : parsePlatform(platform);
      const wantsManifests = wanted.length === 0 || file.length > 0 || cloud !== undefined;
      const files: ExtractedFile[] = [
        ...(await extractTools(ctx, release, { tools: wanted, platform: system, to, reach })),
        ...(wantsManifests ? await extractManifests(ctx, release, { to, cloud, file }) : []),
      ];
      return { version, digest, image: release.pullSpec, files };
    }),
  text: ({ version, files }, style) =>
    [
      style.bold(`${counted(files.length, 'file')} of release ${version}`),
      ...files.map(({ path, sizeBytes }) => `${path}  ${style.dim(formatBytes(sizeBytes))}`),
    ].join('\n'),
});

function cloudAndRequests(): AtollError {
  return new AtollError('USAGE', 'Cannot extract: --credentials-requests and --cloud go together', {
    hint: 'Write "--credentials-requests --cloud aws"',
  });
}
