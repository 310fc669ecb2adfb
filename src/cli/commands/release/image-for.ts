import { nameComponent } from '../../../content/release/locate-component.ts';
import { componentOf } from '../../../content/release/payload/payload.ts';
import { AtollError } from '../../../core/errors.ts';
import { defineCommand } from '../../command.ts';
import { onOff } from '../../flags.ts';
import { RELEASE_ARGUMENT, RELEASE_OPTIONS, withRelease } from './release-input.ts';

export const releaseImageForCommand = defineCommand({
  name: 'release image-for',
  summary: 'Print where one component of a release is: on the mirror if it was read from one',
  description:
    'Prints the pull spec of one component. Of a release read from a mirror, be it by its own name ' +
    'or through registries.conf, that is the path on the mirror, by digest or with --tag by tag.',
  arguments: [{ name: 'name', summary: 'Component, such as etcd' }, RELEASE_ARGUMENT],
  options: {
    tag: onOff('Path on the mirror by tag instead of digest'),
    upstream: onOff('As the payload names it, even on a mirror'),
    ...RELEASE_OPTIONS,
  },
  examples: {
    'atoll release image-for etcd quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64':
      'upstream, by digest',
    'atoll release image-for etcd mirror.example:8443/ocp/openshift/release-images:4.18.1-x86_64 --tag':
      'on the mirror, by tag',
  },
  async run(ctx, input) {
    const names = await withRelease(ctx, input, async ({ release, reach }) => {
      const component = componentOf(release.payload, input.args.name ?? '');
      return await nameComponent(ctx, release, component, reach);
    });
    return { ...names, chosen: choose(names, input.options) };
  },
  text: ({ chosen }) => chosen,
});

function choose(
  names: Awaited<ReturnType<typeof nameComponent>>,
  { tag, upstream }: { readonly tag: boolean; readonly upstream: boolean },
): string {
  if (upstream) return names.image;
  if (!tag) return names.mirror ?? names.image;
  if (names.mirrorTag) return names.mirrorTag;
  throw new AtollError('IMAGE_UNKNOWN', `Cannot name "${names.name}" by tag: no mirror has one`, {
    hint: 'Leave out --tag to have it by digest',
  });
}
