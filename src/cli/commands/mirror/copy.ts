import { counted, formatBytes, formatDuration } from '../../../core/format.ts';
import { type CopiedImage, copyImage } from '../../../mirror/copy-image.ts';
import { parseImageLocation } from '../../../mirror/image-location.ts';
import { parsePlatform } from '../../../oci/platform.ts';
import { defineCommand, type Style } from '../../command.ts';
import { onOff, texts } from '../../flags.ts';
import { REGISTRY_OPTIONS, VERIFY_TARGET, withRegistries } from '../../registry-options.ts';

export const mirrorCopyCommand = defineCommand({
  name: 'mirror copy',
  summary: 'Copy one image: all platforms, with its signatures, digest unchanged',
  description:
    'Copies one image from a registry, an OCI layout or a folder to another. All platforms come ' +
    'along, with signatures, attestations and other artifacts, and no digest changes. What the ' +
    'target has is not sent again, so a copy that was interrupted continues.',
  arguments: [
    { name: 'source', summary: 'docker://HOST/REPO[:TAG|@DIGEST], oci:DIR[:NAME] or dir:DIR' },
    { name: 'target', summary: 'docker://HOST/REPO[:TAG], oci:DIR[:NAME] or dir:DIR' },
  ],
  options: {
    platform: texts('OS/ARCH', 'Only this platform; with --sparse more than one may be given'),
    sparse: onOff('Keep the index as it is, with only the chosen platforms below it'),
    signatures: onOff('Leave signatures, attestations and other artifacts behind', {
      default: true,
    }),
    verifyTarget: VERIFY_TARGET,
    ...REGISTRY_OPTIONS,
  },
  examples: {
    'atoll mirror copy docker://quay.io/openshifttest/helm:3.17.0 docker://mirror.local:8443/helm:3.17.0':
      'from one registry to another',
    'atoll mirror copy docker://quay.io/openshifttest/helm:3.17.0 oci:images:helm':
      'into a layout on disk, to be carried',
    'atoll mirror copy --sparse --platform linux/amd64 oci:images:helm docker://mirror.local:8443/helm:3.17.0':
      'one platform, under the digest of the whole',
  },
  async run(ctx, { args, options, terminal }) {
    return withRegistries(options, terminal, (registries) =>
      copyImage(ctx, {
        from: parseImageLocation(args.source ?? ''),
        to: parseImageLocation(args.target ?? ''),
        registries,
        platforms: options.platform.map(parsePlatform),
        sparse: options.sparse,
        signatures: options.signatures,
      }),
    );
  },
  text: copiedText,
});

function copiedText(image: CopiedImage, style: Style): string {
  const { copied, mounted, reused, copiedBytes } = image.blobs;
  const moved =
    image.outcome === 'skipped'
      ? 'nothing to do: it is there'
      : `${formatBytes(copiedBytes)} moved in ${formatDuration(image.durationMs)}: ${counted(copied, 'blob')} copied, ${mounted} mounted, ${reused} were there`;
  const artifacts = image.attachments > 0 ? `, ${image.attachments} signatures and artifacts` : '';
  return `${style.bold(image.digest ?? '')}\n${moved}${artifacts}`;
}
