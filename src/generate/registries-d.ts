import { sortedRecord } from '../core/order.ts';
import { toYaml } from '../core/yaml.ts';

export interface RegistriesDInput {
  /** Registries, namespaces or repositories whose signatures lie beside their images. */
  readonly attachments?: readonly string[] | undefined;
  /** The same where they do not: nobody looks for any. */
  readonly without?: readonly string[] | undefined;
  /** Place to the URL of a store of GPG signatures. */
  readonly lookaside?: Readonly<Record<string, string>> | undefined;
}

/** A file for `/etc/containers/registries.d`: where tools and nodes look for the signatures of images. */
export function registriesD({ attachments = [], without = [], lookaside = {} }: RegistriesDInput) {
  const entries = [
    ...without.map((place) => [place, { 'use-sigstore-attachments': false }] as const),
    ...attachments.map((place) => [place, { 'use-sigstore-attachments': true }] as const),
    ...Object.entries(lookaside).map(([place, url]) => [place, { lookaside: url }] as const),
  ];
  const docker: Record<string, object> = {};
  for (const [place, entry] of entries) docker[place] = { ...docker[place], ...entry };
  return toYaml({ docker: sortedRecord(docker) });
}
