import { join } from 'node:path';
import { exists, readText } from '../../core/files.ts';
import type { SignaturePlaces } from '../../oci/registries/signature-places.ts';
import { filesIn } from './load-registries-conf.ts';

const SYSTEM_FOLDER = '/etc/containers/registries.d';

export interface SignaturePlacesOptions {
  /** This folder instead of the user's or the system's. */
  readonly registriesD?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Reads `registries.d` as the container tools do: a user's own folder replaces the system's. */
export async function loadSignaturePlaces({
  registriesD,
  env = process.env,
}: SignaturePlacesOptions): Promise<SignaturePlaces> {
  const own = env.HOME && join(env.HOME, '.config', 'containers', 'registries.d');
  const usual = own && (await exists(own)) ? own : SYSTEM_FOLDER;
  const paths = await filesIn(registriesD ?? usual, '.yaml');
  if (paths.length === 0) return new Map();
  // Many machines have no such file, and every run comes by here.
  const { parseSignaturePlaces } = await import('../../oci/registries/parse-signature-places.ts');
  return parseSignaturePlaces(
    await Promise.all(paths.map(async (path) => ({ path, text: await readText(path) }))),
  );
}
