import { formatReference } from '../../../oci/reference.ts';
import { defineCommand } from '../../command.ts';
import { columns } from '../../table.ts';
import { RELEASE_ARGUMENT, RELEASE_OPTIONS, withRelease } from './release-input.ts';

export const releaseImagesCommand = defineCommand({
  name: 'release images',
  summary: 'List the images of a release, as its payload names them',
  arguments: [RELEASE_ARGUMENT],
  options: RELEASE_OPTIONS,
  examples: {
    'atoll release images quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64':
      'name and pull spec of every component',
    'atoll release images 4.18.1 --output json': 'for programs',
  },
  run: (ctx, input) =>
    withRelease(ctx, input, async ({ release: { payload, pullSpec } }) => ({
      version: payload.version,
      digest: payload.digest,
      image: pullSpec,
      components: payload.components.map(({ name, image }) => ({
        name,
        image: formatReference(image),
        digest: image.digest,
      })),
    })),
  text: ({ components }) => columns(components.map(({ name, image }) => [name, image])).join('\n'),
});
