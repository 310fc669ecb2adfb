import { join } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { writeFileAtomic } from '../../../core/files.ts';
import { nearest } from '../../../core/nearest.ts';
import type { OpenRelease } from '../open-release.ts';
import type { Payload } from '../payload/payload.ts';
import { credentialsRequests } from './credentials-requests.ts';
import type { ExtractedFile } from './extract-tools.ts';

export interface ExtractManifestsOptions {
  readonly to: string;
  /** Only the credential requests for this cloud. */
  readonly cloud?: string | undefined;
  /** Only these; all when empty and no cloud is given. */
  readonly file?: readonly string[];
}

/** Writes manifests of a payload, each whole or not at all. */
export async function extractManifests(
  ctx: Context,
  { payload }: OpenRelease,
  { to, cloud, file = [] }: ExtractManifestsOptions,
): Promise<readonly ExtractedFile[]> {
  const chosen = new Map<string, Uint8Array>();
  const names = file.length > 0 || cloud !== undefined ? file : [...payload.manifests.keys()];
  for (const name of names) chosen.set(name, manifestOf(payload, name));
  if (cloud !== undefined) {
    for (const { name, content } of credentialsRequests(payload, cloud)) {
      chosen.set(name, Buffer.from(content));
    }
  }
  const written: ExtractedFile[] = [];
  for (const [name, bytes] of chosen) {
    ctx.signal.throwIfAborted();
    const path = join(to, name);
    await writeFileAtomic(path, bytes);
    ctx.emit({ type: 'file.written', path, sizeBytes: bytes.length });
    written.push({ path, sizeBytes: bytes.length, from: `release-manifests/${name}` });
  }
  return written;
}

function manifestOf(payload: Payload, name: string): Uint8Array {
  const found = payload.manifests.get(name);
  if (found) return found.bytes;
  const near = nearest(name, payload.manifests.keys());
  throw new AtollError('INPUT_INVALID', `Cannot find "${name}" in release ${payload.version}`, {
    hint: near ? `Did you mean "${near}"?` : 'Extract all without --file to see the names',
  });
}
