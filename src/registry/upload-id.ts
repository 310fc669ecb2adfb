import { createHash, randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=-[0-9a-f]{16}$)/;

/** The id says which repository it belongs to, so no session has to be remembered anywhere. */
export function newUploadId(repository: string): string {
  const unique = randomUUID();
  return `${unique}-${bindingOf(unique, repository)}`;
}

export function isUploadOf(repository: string, id: string): boolean {
  // Anybody can compute the rest for a name of their own, such as one that the store refuses.
  const unique = UUID.exec(id)?.[0] ?? '';
  return unique !== '' && id === `${unique}-${bindingOf(unique, repository)}`;
}

function bindingOf(unique: string, repository: string): string {
  return createHash('sha256').update(`${unique}/${repository}`).digest('hex').slice(0, 16);
}
