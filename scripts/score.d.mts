export type Verdict = 'named' | 'silent' | 'wrong';

/** A case of the corpus with what was said of it. */
export interface ScoredCase {
  readonly name: string;
  readonly form: string;
  readonly cause: string;
  readonly said: readonly string[];
  readonly verdict: Verdict;
}

/** Every case of one half, with its verdict. */
export function scoreCorpus(
  half: 'known' | 'blind',
  diagnoseFile: (
    path: string,
  ) => Promise<
    readonly { readonly kind: string; readonly causeId?: string; readonly id: string }[]
  >,
): Promise<readonly ScoredCase[]>;

/** How many of each verdict. */
export function countVerdicts(results: readonly ScoredCase[]): Readonly<Record<Verdict, number>>;

interface Told {
  readonly findings: readonly {
    readonly kind: string;
    readonly evidence: readonly { readonly line?: number | undefined }[];
  }[];
  readonly likely?: { readonly evidence: readonly { readonly line?: number | undefined }[] };
}

/** How many of the failures of one half that rules name are found by a line that names them, without these rules. */
export function scoreUnaided(
  half: string,
  diagnoseFile: (path: string) => Promise<Told>,
  unaidedFile: (path: string) => Promise<Told>,
): Promise<Readonly<Record<'found' | 'other' | 'silent', number>>>;
