import { isDigest } from '../../oci/digest.ts';
import { isImage, parseManifest } from '../../oci/manifest.ts';
import type { Exchange, Handler } from '../serving/exchange.ts';
import type { RouteOf } from '../serving/routes.ts';
import { WireError } from '../serving/wire-error.ts';
import { findManifest } from '../storage/manifest-content.ts';
import { getBlob } from './blobs.ts';

/** What names a file of an artifact; ORAS and others write the same. */
const TITLE = 'org.opencontainers.image.title';
const SUMS = 'SHA256SUMS';

/**
 * Files of OCI artifacts by their names, for machines that boot and for package managers: they speak HTTPS and know
 * nothing of registries. Who may pull the repository may read its files.
 */
export const getFile: Handler<RouteOf<'file'>> = async (exchange, route) => {
  const { repository, reference, path } = route;
  const files = await filesOf(exchange, repository, reference);
  const digest = files.get(path);
  if (digest !== undefined) return await getBlob(exchange, { kind: 'blob', repository, digest });
  if (path !== '' && path !== SUMS)
    throw new WireError('BLOB_UNKNOWN', 'The artifact has no such file', { detail: { path } });
  sendText(exchange, sumsOf(files));
};

/** Names and digests. A layer of an image that has no name is no file. */
async function filesOf(
  { service, entry }: Exchange,
  repository: string,
  reference: string,
): Promise<ReadonlyMap<string, string>> {
  entry.reference = reference;
  const found = await findManifest(service, repository, reference);
  const manifest = found && parseManifest(found.bytes, found.mediaType, found.digest);
  const layers = manifest && isImage(manifest) ? manifest.content.layers : [];
  const files = layers.flatMap(({ digest, annotations }): [string, string][] => {
    const title = annotations?.[TITLE];
    return title === undefined ? [] : [[title, digest]];
  });
  if (files.length > 0) return new Map(files);
  throw new WireError('MANIFEST_UNKNOWN', 'The repository has no such artifact of files', {
    detail: { reference },
  });
}

/** As `sha256sum -c` reads it. */
function sumsOf(files: ReadonlyMap<string, string>): string {
  const lines = [...files].filter(([, digest]) => isDigest(digest) && digest.startsWith('sha256:'));
  return lines.map(([path, digest]) => `${digest.slice('sha256:'.length)}  ${path}\n`).join('');
}

function sendText({ request, response }: Exchange, text: string): void {
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  response.writeHead(200, { ...headers, 'content-length': String(Buffer.byteLength(text)) });
  response.end(request.method === 'HEAD' ? undefined : text);
}
