import * as z from 'zod';
import { AtollError } from '../../../../core/errors.ts';
import { toYaml } from '../../../../core/yaml.ts';
import { imagePolicy, type SignedName } from '../../../../generate/cluster/image-policy.ts';
import { pinnedImageSets } from '../../../../generate/cluster/pinned-images.ts';
import { registriesD } from '../../../../generate/registries-d.ts';
import { formatReference, parseReference, type Reference } from '../../../../oci/reference.ts';
import { reportImages } from '../../../../rehearse/images/report-images.ts';
import { file, pair, splitPair } from '../flag-files.ts';
import { many, manyTexts, someTexts, text } from '../flags.ts';
import { renderTarget } from '../target.ts';

export const imagePolicyTarget = renderTarget({
  name: 'image-policy',
  summary: 'ClusterImagePolicy or ImagePolicy: own images start only when they are signed',
  schema: z.object({
    name: text('NAME', 'Name of the object'),
    scope: someTexts('PLACE', 'Registry, repository or image, as workloads name it'),
    key: file('Public key of cosign that signed them'),
    namespace: text('NAME', 'Only for the images of this namespace').optional(),
    signedAs: text('REPOSITORY', 'The name that was signed, where it was another').optional(),
    remap: text('PREFIX=SIGNED', 'The same for a whole prefix: that of the mirror').optional(),
  }),
  examples: {
    'atoll render image-policy --name team --scope quay.io/team --key cosign.pub':
      'images of a team, pulled through mirrors or not',
    'atoll render image-policy --name apps --namespace apps --scope mirror.example:5000/team --key cosign.pub --remap mirror.example:5000/team=quay.io/team':
      'images that are named by their place in the mirror',
  },
  make: ({ name, scope, key, namespace, signedAs, remap }) => {
    const publicKey = key;
    const signed = signedName(signedAs, remap);
    return toYaml(imagePolicy({ name, scopes: scope, publicKey, namespace, signedAs: signed }));
  },
});

function signedName(exact: string | undefined, remap: string | undefined): SignedName | undefined {
  if (exact !== undefined && remap !== undefined) {
    throw new AtollError('USAGE', 'Cannot use --signed-as and --remap together', {
      hint: 'Give the one repository that was signed, or a prefix that was replaced',
    });
  }
  if (exact !== undefined) return { repository: exact };
  if (remap === undefined) return undefined;
  const [prefix, signedPrefix] = splitPair('remap', remap);
  return { prefix, signedPrefix };
}

export const registriesDTarget = renderTarget({
  name: 'registries-d',
  summary: 'A file for /etc/containers/registries.d: where signatures of images lie',
  schema: z.object({
    attachments: manyTexts('PLACE', 'Sigstore signatures lie beside the images there'),
    without: manyTexts('PLACE', 'There are none: nobody looks for any'),
    lookaside: many('PLACE=URL', 'Store of GPG signatures', pair('lookaside')),
  }),
  examples: {
    'atoll render registries-d --attachments mirror.example:5000 --without registry.connect.redhat.com':
      'for the mirror, and for a registry that has none',
  },
  make: ({ attachments, without, lookaside }) =>
    registriesD({ attachments, without, lookaside: Object.fromEntries(lookaside) }),
});

export const pinnedImagesTarget = renderTarget({
  name: 'pinned-images',
  summary: 'PinnedImageSets: nodes pull the images of a release ahead of an update, and keep them',
  description:
    'Names the images as the cluster does, by digest, so that nodes find them through the mirror. "atoll apply" ' +
    'waits until every node has them.',
  schema: z.object({
    name: text('NAME', 'Last part of POOL-NAME').default('release'),
    pool: someTexts('POOL', 'Pool; one object each').default(['master', 'worker']),
    image: manyTexts('IMAGE', 'Image by digest'),
    report: manyTexts(
      'FILE',
      'report.json or mirrored.json: the release in it, with its components',
    ),
    release: text('VERSION', 'Only this release of those').optional(),
  }),
  examples: {
    'atoll render pinned-images --report working-dir/mirrored.json --release 4.18.2 --to pinned.yaml':
      'then "atoll apply pinned.yaml", and the update after it',
  },
  fromSite: async (inputs) => ({
    image: (await inputs.mirrored())
      .filter(({ image }) => image.kind === 'release' || image.kind === 'component')
      .flatMap(({ image }) => byDigest(image.source)),
  }),
  make: async ({ name, pool, image, report, release }) => {
    const listed = (await Promise.all(report.map(reportImages)))
      .flat()
      .filter(({ kind }) => kind === 'release' || kind === 'component');
    const chosen = listed.filter((each) => release === undefined || each.release === release);
    if (release !== undefined && chosen.length === 0)
      throw noSuchRelease(
        release,
        listed.flatMap((each) => each.release ?? []),
      );
    const images = [
      ...image.map(pinnable),
      ...chosen.flatMap(({ reference }) => byDigest(reference)),
    ];
    if (images.length > 0) return toYaml(...pinnedImageSets({ name, pools: pool, images }));
    throw new AtollError('USAGE', 'Cannot pin images: there are none', {
      hint: 'Give --report working-dir/mirrored.json of a mirrored release, or --image',
    });
  },
});

function noSuchRelease(release: string, known: readonly string[]): AtollError {
  const there = [...new Set(known)].toSorted().join(', ');
  return new AtollError(
    'USAGE',
    `Cannot pin the images of release ${release}: it is in no report`,
    {
      hint: there
        ? `There are ${there}`
        : 'Give --report working-dir/mirrored.json of a mirrored release',
    },
  );
}

/** The API takes nothing but digests, and says so only when it is applied. */
function pinnable(image: string): string {
  const [pinned] = byDigest(parseReference(image));
  if (pinned !== undefined) return pinned;
  throw new AtollError('USAGE', `Cannot pin "${image}": it has no digest`, {
    hint: 'Name it as REPOSITORY@sha256:…',
  });
}

/** Only what has a digest can be pinned. */
function byDigest({ registry, repository, digest }: Reference): string[] {
  return digest ? [formatReference({ registry, repository, digest })] : [];
}
