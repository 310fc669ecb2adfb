import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { NO_RETRY } from '../../core/retry.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { Registries } from '../../remote/registries.ts';
import { registryOptions } from '../stages/places.ts';
import type { StageWork } from '../stages/stage.ts';

export const problem = (subject: string, message: string, hint: string): PreflightCheck => ({
  ...{ subject, severity: 'error', message, hint },
});

export const quiet = (ctx: Context): Context => ({ ...ctx, emit: () => undefined });

/** One attempt with short timeouts: the user waits for the answer. */
export async function withImpatientRegistries<T>(
  work: StageWork,
  authfile: string,
  task: (registries: Registries) => Promise<T>,
): Promise<T> {
  const tuning = { retry: NO_RETRY };
  const registries = createRegistries({ ...registryOptions(work), authfile, tuning });
  try {
    return await task(registries);
  } finally {
    await registries.close();
  }
}

/** Undefined when the registry understood the question. */
export async function failureOf(ask: () => Promise<unknown>): Promise<AtollError | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (!(error instanceof AtollError)) throw error;
    return error.code === 'IMAGE_UNKNOWN' ? undefined : error;
  }
}

/** What to do about it in a site file, where flags of other commands do not help. */
export function hintFor({ code, hint }: AtollError, fields: TrustFields): string | undefined {
  if (code === 'TLS_UNTRUSTED') return `Name the file of the CA that signed it: ${fields.ca}`;
  if (code === 'REGISTRY_DENIED') return `Correct the login in the file that ${fields.login} names`;
  return hint;
}

interface TrustFields {
  readonly ca: string;
  readonly login: string;
}
