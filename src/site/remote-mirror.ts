import type { Context } from '../core/context.ts';
import type { Host } from '../host/host.ts';

/** What the folder of a registry on another machine says. */
export interface RemoteFolder {
  readonly blobs: number;
  readonly storedBytes: number;
  readonly freeBytes: number;
  /** Its certificate, as PEM. */
  readonly certificate: string | undefined;
}

/** Free bytes, blobs and their bytes, then the certificate. */
const LOOK = `cd -- "$1" || exit 1
df -B1 --output=avail . | tail -n 1
find data/blobs -type f -printf '%s\\n' 2>/dev/null | awk '{ n += 1; s += $1 } END { print n + 0, s + 0 }'
cat tls/server.crt 2>/dev/null`;

/** One look at it, over the line to its host. */
export async function lookAtRemoteMirror(
  ctx: Context,
  host: Host,
  folder: string,
): Promise<RemoteFolder> {
  const { stdout } = await host.run(ctx, 'sh', ['-c', LOOK, 'look', folder]);
  const [free = '', counts = '', ...pem] = stdout.split('\n');
  const [blobs, storedBytes] = counts.split(' ').map(Number);
  const certificate = pem.join('\n');
  return {
    freeBytes: Number(free),
    blobs: blobs ?? 0,
    storedBytes: storedBytes ?? 0,
    certificate: certificate.includes('BEGIN CERTIFICATE') ? certificate : undefined,
  };
}
