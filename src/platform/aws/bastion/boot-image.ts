import * as z from 'zod';
import { AtollError } from '../../../core/errors.ts';
import { parseJson } from '../../../core/shape.ts';
import { parseYamlInput } from '../../../core/yaml-input.ts';

/** The manifest of a release that says which images of CoreOS belong to it. */
const MANIFEST = '0000_50_installer_coreos-bootimages.yaml';

const configMap = z.looseObject({ data: z.looseObject({ stream: z.string() }) });
const stream = z.looseObject({
  architectures: z.record(
    z.string(),
    z.looseObject({
      images: z.looseObject({
        aws: z
          .looseObject({ regions: z.record(z.string(), z.looseObject({ image: z.string() })) })
          .optional(),
      }),
    }),
  ),
});

interface Wanted {
  readonly architecture: string;
  readonly region: string;
}

/** The AMI that a release names for a region, in the stream of CoreOS it carries. */
export function bootImage(
  manifests: ReadonlyMap<string, string>,
  { architecture, region }: Wanted,
): string {
  const regions = regionsOf(manifests.get(MANIFEST) ?? '', architecture);
  const found = regions?.[region]?.image;
  if (found) return found;
  const known = Object.keys(regions ?? {});
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot find an image for the bastion: the release names none for ${architecture} in ${region}`,
    {
      hint:
        known.length > 0
          ? `Copy the one of ${known[0]} to this region and name it: bastion.ami (BASTION_HOST_AMI)`
          : 'Name an image of CoreOS: bastion.ami (BASTION_HOST_AMI)',
      details: { region },
    },
  );
}

function regionsOf(text: string, architecture: string) {
  const { value } = parseYamlInput(configMap, text);
  const parsed = stream.safeParse(parseJson(value?.data.stream ?? ''));
  return parsed.data?.architectures[architecture]?.images.aws?.regions;
}
