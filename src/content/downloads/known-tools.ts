import { basename } from 'node:path';
import semver from 'semver';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Web } from '../../http/web.ts';
import { KERNEL_NAMES } from './boot-images.ts';
import type { WantedFile } from './fetch-file.ts';
import { sumIn } from './sums.ts';

/** Where a tool that is not in the payload may be published: one file of sums, and names that it may list. */
export interface PublishedTool {
  readonly sums: string;
  /** In the order in which they are wanted. */
  readonly files: readonly string[];
}

type Places = (version: string, machine: string) => readonly PublishedTool[];

const MIRROR = 'https://mirror.openshift.com/pub';

/**
 * As Red Hat publishes them: a folder for each version, with sums of the files under their full names; what
 * has no version in its name is a link, which the sums leave out. Engineering candidates lie apart. Releases
 * from 5.0 on have a tree of their own, and candidates of 5.0 were seen in the older one as well.
 */
const openshiftClient =
  (files: (version: string) => readonly string[]): Places =>
  (version, machine) => {
    const major = semver.parse(version)?.major ?? 4;
    const stream = /-ec\.\d+$/.test(version) ? 'ocp-dev-preview' : 'ocp';
    const architecture = KERNEL_NAMES[machine] ?? machine;
    return [...new Set([major, 4])].map((tree) => {
      const folder = `${MIRROR}/openshift-v${tree}/${architecture}/clients/${stream}/${version}`;
      return { sums: `${folder}/sha256sum.txt`, files: files(version) };
    });
  };

/** A name that says nothing of RHEL is built on RHEL 8 and runs on later ones, too; some versions have one of them only. */
const PLACES: Readonly<Record<string, Places>> = {
  'oc-mirror': openshiftClient(() => ['oc-mirror.tar.gz', 'oc-mirror.rhel9.tar.gz']),
  opm: openshiftClient((version) => [
    `opm-linux-${version}.tar.gz`,
    `opm-linux-rhel9-${version}.tar.gz`,
  ]),
  tkn: (version, machine) => [
    {
      sums: `${MIRROR}/openshift-v4/clients/pipeline/${version}/sha256sum.txt`,
      files: [`tkn-linux-${machine}-${version}.tar.gz`, `tkn-linux-${machine}.tar.gz`],
    },
  ],
  // Its folders have the "v" of its versions, and the name without an architecture is that of the first one.
  'coreos-installer': (version, machine) => [
    {
      sums: `${MIRROR}/openshift-v4/clients/coreos-installer/v${version}/sha256sum.txt`,
      files: [`coreos-installer_${machine}`, ...(machine === 'amd64' ? ['coreos-installer'] : [])],
    },
  ],
  helm: (version, machine) => {
    const file = `helm-v${version}-linux-${machine}.tar.gz`;
    return [{ sums: `https://get.helm.sh/${file}.sha256sum`, files: [file] }];
  },
};

/** Empty for what comes out of a release. */
export function placesOf(name: string, version: string, machine: string): readonly PublishedTool[] {
  return PLACES[name]?.(version.replace(/^v(?=\d)/, ''), machine) ?? [];
}

/** The first file that the sums of a place list, with its sum. */
export async function findTool(
  ctx: Context,
  web: Pick<Web, 'get'>,
  { name, version, machine }: { name: string; version: string; machine: string },
): Promise<WantedFile> {
  const places = placesOf(name, version, machine);
  for (const { sums, files } of places) {
    const bytes = await web.get(ctx, sums);
    const text = bytes ? Buffer.from(bytes).toString('utf8') : '';
    for (const file of files) {
      const sha256 = sumIn(text, file);
      if (!sha256) continue;
      const url = new URL(file, sums).href;
      return { path: `${machine}/${basename(url)}`, url, sum: { sha256, by: sums } };
    }
  }
  throw new AtollError('INPUT_INVALID', `Cannot find ${name} ${version} for ${machine}`, {
    hint: `Check the version. Looked for ${[...new Set(places.flatMap(({ files }) => files))].join(' and ')} in ${places.map(({ sums }) => sums).join(' and ')}`,
  });
}
