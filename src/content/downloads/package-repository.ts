import { posix } from 'node:path';
import { isXz, unxz } from '../../core/archive/unxz.ts';
import { collect, once } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Web } from '../../http/web.ts';
import { digestOf } from '../../oci/digest.ts';
import { decompressed } from '../layers/decompress.ts';
import { KERNEL_NAMES } from './boot-images.ts';
import { missing, type WantedFile } from './fetch-file.ts';

// Repositories of packages as the files they are: an index names every package with its sum, and the chain of sums
// starts at one small file, which package managers verify by its own signature.

export interface WantedRepository {
  readonly type: 'rpm' | 'deb';
  readonly url: string;
  readonly suites: readonly string[];
  readonly components: readonly string[];
  readonly architectures: readonly string[];
  readonly packages: readonly string[];
}

const MOST_INDEX_BYTES = 512 * 1024 * 1024;
const XZ_LIMITS = { maxBytes: 4 * 1024 ** 3, maxRatio: 1100, ratioFloorBytes: 64 * 1024 ** 2 };

/** Every file of a repository: its indexes and the packages they name. */
export async function repositoryFiles(
  ctx: Context,
  web: Web,
  wanted: WantedRepository,
): Promise<readonly WantedFile[]> {
  const at = (path: string) => `${wanted.url.replace(/\/+$/, '')}/${path}`;
  const files = await (wanted.type === 'rpm' ? rpmFiles : debFiles)(ctx, web, wanted, at);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return [...byPath.values()];
}

type At = (path: string) => string;

async function rpmFiles(ctx: Context, web: Web, wanted: WantedRepository, at: At) {
  const repomd = 'repodata/repomd.xml';
  const indexes = [
    ...(await textAt(ctx, web, at(repomd))).matchAll(/<data type="([^"]+)">(.*?)<\/data>/gs),
  ].map(([, type = '', body = '']) => ({
    type,
    path: /<location href="([^"]+)"/.exec(body)?.[1] ?? '',
    sha256: /<checksum type="sha256">([0-9a-f]{64})</.exec(body)?.[1],
  }));
  const primary = indexes.find(({ type }) => type === 'primary');
  if (!primary?.path) throw unreadableIndex(at(repomd), 'it names no primary index');
  const listed = rpmPackages(await verifiedText(ctx, web, at(primary.path), primary.sha256));
  const machines = new Set([
    'noarch',
    ...wanted.architectures.map((name) => KERNEL_NAMES[name] ?? name),
  ]);
  const chosen = listed.filter(
    ({ name, architecture }) => machines.has(architecture) && isWanted(wanted, name),
  );
  return [
    { path: repomd, url: at(repomd), sum: undefined },
    ...(await optional(ctx, web, at, `${repomd}.asc`)),
    ...indexes.map(({ path, sha256 }) => wantedFile(at, path, sha256, repomd)),
    ...chosen.map(({ path, sha256 }) => wantedFile(at, path, sha256, primary.path)),
  ];
}

function rpmPackages(xml: string) {
  return [...xml.matchAll(/<package type="rpm">(.*?)<\/package>/gs)].map(([, body = '']) => ({
    name: /<name>([^<]+)</.exec(body)?.[1] ?? '',
    architecture: /<arch>([^<]+)</.exec(body)?.[1] ?? '',
    path: /<location href="([^"]+)"/.exec(body)?.[1] ?? '',
    sha256: /<checksum type="sha256"[^>]*>([0-9a-f]{64})</.exec(body)?.[1],
  }));
}

/** How an index may be compressed; apt takes whichever it finds. */
const FORMS = ['.gz', '.xz', ''] as const;

async function debFiles(ctx: Context, web: Web, wanted: WantedRepository, at: At) {
  const files: WantedFile[] = [];
  for (const suite of wanted.suites) {
    const folder = `dists/${suite}`;
    const release = `${folder}/Release`;
    const sums = releaseSums(await textAt(ctx, web, at(release)));
    files.push({ path: release, url: at(release), sum: undefined });
    for (const name of ['InRelease', 'Release.gpg'])
      files.push(...(await optional(ctx, web, at, `${folder}/${name}`)));
    for (const component of wanted.components)
      for (const machine of wanted.architectures) {
        const place = `${component}/binary-${machine}/Packages`;
        const path = FORMS.map((form) => `${place}${form}`).find((each) => sums.has(each));
        const sha256 = path && sums.get(path);
        if (!sha256) throw unreadableIndex(at(release), `it does not name ${place}`);
        const text = await verifiedText(ctx, web, at(`${folder}/${path}`), sha256);
        const chosen = debPackages(text).filter(({ name }) => isWanted(wanted, name));
        files.push(
          wantedFile(at, `${folder}/${path}`, sha256, release),
          ...chosen.map((each) => wantedFile(at, each.path, each.sha256, path)),
        );
      }
  }
  return files;
}

/** Path to sum, of the section SHA256 of a Release file. */
function releaseSums(text: string): Map<string, string> {
  const section = /^SHA256:\n((?: .*\n?)+)/m.exec(text)?.[1] ?? '';
  return new Map(
    [...section.matchAll(/^ ([0-9a-f]{64})\s+\d+\s+(\S+)$/gm)].map(([, sum = '', path = '']) => [
      path,
      sum,
    ]),
  );
}

function debPackages(text: string) {
  const field = (stanza: string, name: string) =>
    new RegExp(`^${name}: (.+)$`, 'm').exec(stanza)?.[1];
  return text
    .split(/\n\n+/)
    .map((stanza) => ({
      name: field(stanza, 'Package') ?? '',
      path: field(stanza, 'Filename') ?? '',
      sha256: field(stanza, 'SHA256'),
    }))
    .filter(({ path }) => path !== '');
}

const isWanted = ({ packages }: WantedRepository, name: string): boolean =>
  packages.length === 0 || packages.includes(name);

/** A path that an index names: only below the repository, and only with a sum. */
function wantedFile(at: At, path: string, sha256: string | undefined, index: string): WantedFile {
  const normal = posix.normalize(path);
  if (normal.startsWith('..') || posix.isAbsolute(normal))
    throw unreadableIndex(at(index), `it names "${path}", which is outside`);
  if (!sha256) throw unreadableIndex(at(index), `it has no sha256 of "${path}"`);
  return { path: normal, url: at(normal), sum: { sha256, by: index } };
}

async function textAt(ctx: Context, web: Web, url: string): Promise<string> {
  const bytes = await web.get(ctx, url, { maxBytes: MOST_INDEX_BYTES });
  if (!bytes) throw missing(url);
  return Buffer.from(bytes).toString('utf8');
}

async function verifiedText(
  ctx: Context,
  web: Web,
  url: string,
  sha256: string | undefined,
): Promise<string> {
  const bytes = await web.get(ctx, url, { maxBytes: MOST_INDEX_BYTES });
  if (!bytes) throw missing(url);
  if (digestOf(bytes) !== `sha256:${sha256}`)
    throw unreadableIndex(url, 'another sum than was announced');
  const plain = isXz(bytes) ? unxz(once(bytes), XZ_LIMITS) : decompressed(once(bytes));
  return (await collect(plain)).toString('utf8');
}

async function optional(ctx: Context, web: Web, at: At, path: string): Promise<WantedFile[]> {
  return (await web.get(ctx, at(path))) ? [{ path, url: at(path), sum: undefined }] : [];
}

function unreadableIndex(url: string, found: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use the repository index ${url}: ${found}`, {
    hint: 'If it is being updated right now, try again',
  });
}
