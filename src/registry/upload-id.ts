import { createHash, randomUUID } from 'node:crypto';

const UUID_LENGTH = 36;

/** The id says which repository it belongs to, so no session has to be remembered anywhere. */
export function newUploadId(repository: string): string {
  const unique = randomUUID();
  return `${unique}-${bindingOf(unique, repository)}`;
}

export function isUploadOf(repository: string, id: string): boolean {
  const unique = id.slice(0, UUID_LENGTH);
  return id === `${unique}-${bindingOf(unique, repository)}`;
}

function bindingOf(unique: string, repository: string): string {
  return createHash('sha256').update(`${unique}/${repository}`).digest('hex').slice(0, 16);
}
