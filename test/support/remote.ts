import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';

export { collect, once } from '../../src/core/bytes.ts';

import type { Descriptor } from '../../src/oci/descriptor.ts';
import { digestOf } from '../../src/oci/digest.ts';
import type { TuningOptions } from '../../src/remote/client/tuning.ts';
import { createRegistries } from '../../src/remote/create-registries.ts';
import type { Registries, RegistryOptions, Repository } from '../../src/remote/registries.ts';

/** The client's patience for tests: short delays, few attempts, small parts. */
const IMPATIENT: TuningOptions = {
  connectTimeoutMs: 5000,
  stallTimeoutMs: 5000,
  answerTimeoutMs: 5000,
  retry: { attempts: 3, firstDelayMs: 1, maxRetryAfterMs: 30 },
  partBytes: 64 * 1024,
};

/** Registries for one test: plain HTTP allowed, no files of the machine's user, closed at the end. */
export function openRegistries(options: RegistryOptions = {}): Registries {
  const retry = { ...IMPATIENT.retry, ...options.tuning?.retry };
  const tuning = { ...IMPATIENT, ...options.tuning, retry };
  const registries = createRegistries({ insecure: true, env: {}, ...options, tuning });
  onTestFinished(() => registries.close());
  return registries;
}

export function openRepository(
  host: string,
  name = 'team/app',
  options: RegistryOptions = {},
): Repository {
  return openRegistries(options).repository(host, name);
}

/** A blob of random bytes and its descriptor. */
export function makeBlob(size: number): { bytes: Buffer; blob: Descriptor } {
  const bytes = randomBytes(size);
  return { bytes, blob: describeBytes(bytes) };
}

export function describeBytes(
  bytes: Uint8Array,
  mediaType = 'application/octet-stream',
): Descriptor {
  return { mediaType, digest: digestOf(bytes), size: bytes.length };
}
