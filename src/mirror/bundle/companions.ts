import { createHash } from 'node:crypto';
import { counted, formatBytes } from '../../core/format.ts';
import { provenanceText, spdxText } from './bill.ts';
import { type BundleIndex, INDEX_FILE, SIGNATURE_FILE } from './bundle-index.ts';

export const SUMS_FILE = 'SHA256SUMS';
const README_FILE = 'README_FIRST.txt';
const SPDX_FILE = 'bundle.spdx.json';
const PROVENANCE_FILE = 'bundle.provenance.json';

/** Files beside the index that are made from it, for people and programs that have no atoll. */
export const COMPANION_FILES: readonly string[] = [
  SUMS_FILE,
  README_FILE,
  SPDX_FILE,
  PROVENANCE_FILE,
];

/** A file of the bundle, as `sha256sum` knows it. */
export interface SummedFile {
  readonly file: string;
  readonly sha256: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What the files beside the index hold: the same for the same index. */
export function companionsOf(
  index: BundleIndex,
  text: string,
  signature: string | undefined,
  carried: readonly SummedFile[] = index.chunks,
): ReadonlyMap<string, string> {
  const indexSha256 = sha256(text);
  const made = new Map([
    [README_FILE, readmeText(index, signature !== undefined)],
    [SPDX_FILE, spdxText(index)],
    [PROVENANCE_FILE, provenanceText(index, indexSha256)],
  ]);
  const signed =
    signature === undefined ? [] : [{ file: SIGNATURE_FILE, sha256: sha256(signature) }];
  const sums: SummedFile[] = [
    { file: INDEX_FILE, sha256: indexSha256 },
    ...signed,
    ...[...made].map(([file, content]) => ({ file, sha256: sha256(content) })),
    ...carried,
  ];
  return made.set(SUMS_FILE, sums.map((each) => `${each.sha256}  ${each.file}\n`).join(''));
}

function readmeText(index: BundleIndex, isSigned: boolean): string {
  const { id, chunks, images, since, missing = [] } = index;
  const bytes = chunks.reduce((sum, { size }) => sum + size, 0);
  const builds =
    since.length > 0 ? `It builds on bundle ${since.join(', ')}: load that one first.\n` : '';
  const partial =
    missing.length > 0
      ? `\nIT IS PARTIAL. These were asked for and could not be saved:\n${missing.map(({ subject }) => `    ${subject}\n`).join('')}`
      : '';
  const signature = isSigned
    ? `It is signed. To verify that, with the public key of whoever saved it in your key ring:

    gpg --verify ${SIGNATURE_FILE} ${INDEX_FILE}
`
    : 'It is not signed.\n';
  return `This folder is a bundle of atoll: ${counted(images.length, 'image')} in ${counted(chunks.length, 'chunk')}, ${formatBytes(bytes)}.
Its id is ${id}. ${builds}${partial}
Is everything here, and as it was? No atoll is needed to see that:

    sha256sum -c ${SUMS_FILE}

Copy again what that calls missing or FAILED; everything else can stay.
${signature}
Into a mirror, with atoll:

    atoll bundle check .
    atoll mirror load --from . --to docker://MIRROR.EXAMPLE.COM:5000/PATH

Chunks in parts (chunk-000001.atoll.001, .002, ...) are put together with "atoll bundle join .", or with
cat: for each chunk, "cat chunk-000001.atoll.* > chunk-000001.atoll".

What is what
    ${INDEX_FILE}             every image, blob and chunk with its digest
    chunk-*.atoll           the content
    ${SPDX_FILE}        bill of materials (SPDX 2.3)
    ${PROVENANCE_FILE}  where all of it came from (in-toto, SLSA)
`;
}
