/**
 * Why an archive cannot be read. It is not for operators: the caller says which
 * file it was and what to do about it, or takes what came before.
 */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  readonly kind: 'cut' | 'damaged' | 'refused';
  /** The entry it happened in; empty between entries. */
  readonly entry: string;

  constructor(kind: ArchiveError['kind'], found: string, entry = '') {
    super(found);
    this.kind = kind;
    this.entry = entry;
  }
}

export const damaged = (found: string): ArchiveError =>
  new ArchiveError('damaged', `it is damaged (${found})`);

export const cut = (): ArchiveError => new ArchiveError('cut', 'it ends early');
