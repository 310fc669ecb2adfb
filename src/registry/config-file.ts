import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { readText } from '../core/files.ts';
import { parseBytes, parseSpan } from '../core/format.ts';
import { parseWindow } from '../core/time-window.ts';
import { inputError, parseYamlInput } from '../core/yaml-input.ts';
import type { Limits } from './serving/limits.ts';

const ADDRESS = /^(?<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]*):(?<port>\d{1,5})$/;
const TAG_PATTERN = /^[a-z0-9._/*-]+:[A-Za-z0-9._*-]+$|^\*[A-Za-z0-9._-]*$/;
const UPSTREAM = /^[a-z0-9][a-z0-9.-]*(?::\d{1,5})?$/;

const address = z.string().transform((text, issues) => {
  const { host, port } = ADDRESS.exec(text)?.groups ?? {};
  if (host === undefined || Number(port) > 65_535) {
    issues.addIssue({ code: 'custom', message: 'must be HOST:PORT, such as 0.0.0.0:8443' });
    return z.NEVER;
  }
  return { host: host.replace(/^\[|\]$/g, '') || '0.0.0.0', port: Number(port) };
});

const size = z.union([z.number().int().nonnegative(), z.string()]).transform((value, issues) => {
  const bytes = typeof value === 'number' ? value : parseBytes(value);
  if (bytes !== undefined) return bytes;
  issues.addIssue({ code: 'custom', message: 'must be a size, such as 512MiB' });
  return z.NEVER;
});

const span = z.string().transform((text, issues) => {
  const ms = parseSpan(text);
  if (ms !== undefined && ms > 0) return ms;
  issues.addIssue({ code: 'custom', message: 'must be a length of time, such as 24h or 7d' });
  return z.NEVER;
});

const window = z.string().transform((text, issues) => {
  try {
    return parseWindow(text);
  } catch {
    issues.addIssue({ code: 'custom', message: 'must be hours, such as 22:00-06:00' });
    return z.NEVER;
  }
});

/** What `serve` does by itself, and how often. */
const upkeep = z.strictObject({
  gc: span.optional(),
  scrub: span.optional(),
  scrubRate: size.optional(),
  window: window.optional(),
});

const repositories = z
  .string()
  .regex(/^[a-z0-9._/*-]+$/, 'must be the name of a repository, in which "*" is any text');

const quota = z
  .strictObject({ repositories, size })
  .transform(({ repositories: pattern, size: bytes }) => ({ repositories: pattern, bytes }));

/** Which tags go by themselves, with the next garbage. */
const retention = z
  .strictObject({
    repositories,
    keepLast: z
      .number()
      .int()
      .min(1, 'must be 1 or more: 0 would remove every tag; leave it out to go by age alone')
      .optional(),
    keepTags: z.array(z.string().min(1)).optional(),
    olderThan: span.optional(),
    untagged: span.optional(),
  })
  .refine(
    ({ keepLast, olderThan, untagged }) =>
      [keepLast, olderThan, untagged].some((each) => each !== undefined),
    { message: 'must have "keepLast", "olderThan" or "untagged"' },
  )
  .transform(({ olderThan, untagged, ...rest }) => ({
    ...rest,
    olderThanMs: olderThan,
    untaggedMs: untagged,
  }));

const seconds = z.number().positive().max(1_000_000_000);
const count = z.number().int().positive().max(1_000_000);

const tls = z.strictObject({ certificate: z.string().min(1), key: z.string().min(1) });

const listener = z.strictObject({
  address,
  tls: tls.optional(),
  upstream: z.string().regex(UPSTREAM, 'must be a registry host, such as quay.io').optional(),
});

const s3 = z.strictObject({
  bucket: z.string().min(1),
  prefix: z.string().optional(),
  region: z.string().optional(),
  endpoint: z.string().optional(),
  /** Clients fetch blobs from the bucket by themselves. */
  redirect: z.boolean().default(false),
});

const storage = z
  .strictObject({ path: z.string().min(1).optional(), s3: s3.optional() })
  .refine(({ path, s3: bucket }) => (path === undefined) !== (bucket === undefined), {
    message: 'must have "path" or "s3", and not both',
  });

const limits = z.strictObject({
  manifestSize: size.optional(),
  headerSize: size.optional(),
  concurrentUploads: count.optional(),
  idleSeconds: seconds.optional(),
  uploadExpirySeconds: seconds.optional(),
  minFree: size.optional(),
  cache: size.optional(),
});

const schema = z.strictObject({
  storage,
  listeners: z.array(listener).min(1, 'must name at least one address'),
  auth: z
    .strictObject({
      htpasswd: z.string().min(1),
      grants: z.string().min(1).optional(),
      tokens: z.string().min(1).optional(),
      challenge: z.enum(['basic', 'bearer']).optional(),
      realm: z.url().optional(),
      anonymousPull: z.boolean().default(false),
      metricsLogin: z.boolean().optional(),
    })
    .refine(({ challenge, tokens }) => challenge !== 'bearer' || tokens !== undefined, {
      message: 'a "bearer" challenge needs a file of "tokens"',
    })
    .optional(),
  readOnly: z.boolean().default(false),
  protectedTags: z
    .array(z.string().regex(TAG_PATTERN, 'must be REPOSITORY:TAG, in which "*" is any text'))
    .optional(),
  quotas: z.array(quota).optional(),
  retention: z.array(retention).optional(),
  accessLog: z.string().min(1).optional(),
  workers: z.number().int().min(1).max(64).optional(),
  limits: limits.optional(),
  upkeep: upkeep.optional(),
});

type Parsed = z.output<typeof schema>;

/** `config.yaml` of a registry, its paths absolute and its limits in the registry's own units. */
export interface RegistryFile extends Omit<Parsed, 'limits'> {
  readonly limits: Partial<Limits>;
}

export const CONFIG_NAME = 'config.yaml';

/** Reads the file, and says everything that is wrong with it at once. Paths are relative to it. */
export async function readConfigFile(path: string): Promise<RegistryFile> {
  const parsed = parseYamlInput(schema, await readText(path));
  if (parsed.value === undefined) throw inputError(path, parsed.problems);
  const absolute = (name: string) => resolve(dirname(path), name);
  const { storage: kept, listeners, auth, accessLog, limits: bounds, ...rest } = parsed.value;
  return {
    ...rest,
    storage: kept.path === undefined ? kept : { path: absolute(kept.path) },
    listeners: listeners.map((each) => ({
      ...each,
      tls: each.tls && {
        certificate: absolute(each.tls.certificate),
        key: absolute(each.tls.key),
      },
    })),
    auth: auth && {
      ...auth,
      htpasswd: absolute(auth.htpasswd),
      grants: auth.grants === undefined ? undefined : absolute(auth.grants),
      tokens: auth.tokens === undefined ? undefined : absolute(auth.tokens),
    },
    accessLog: accessLog === undefined ? undefined : absolute(accessLog),
    limits: limitsOf(bounds ?? {}),
  };
}

function limitsOf(bounds: NonNullable<Parsed['limits']>): Partial<Limits> {
  const all: { readonly [K in keyof Limits]?: number | undefined } = {
    manifestBytes: bounds.manifestSize,
    headerBytes: bounds.headerSize,
    concurrentUploads: bounds.concurrentUploads,
    idleMs: bounds.idleSeconds && bounds.idleSeconds * 1000,
    uploadExpiryMs: bounds.uploadExpirySeconds && bounds.uploadExpirySeconds * 1000,
    minFreeBytes: bounds.minFree,
    cacheBytes: bounds.cache,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
