import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import type { IgnitionConfig, IgnitionResource } from './config.ts';

const named = z.looseObject({ name: z.string() });
const placed = z.looseObject({ path: z.string() });
const schema = z.looseObject({
  ignition: z.looseObject({ version: z.string().regex(/^3\.\d+\.\d+(?:-experimental)?$/) }),
  passwd: z
    .looseObject({ users: z.array(named).optional(), groups: z.array(named).optional() })
    .optional(),
  storage: z
    .looseObject({
      files: z.array(placed).optional(),
      directories: z.array(placed).optional(),
      links: z.array(placed).optional(),
    })
    .optional(),
  systemd: z.looseObject({ units: z.array(named).optional() }).optional(),
});

/** An Ignition config of generation 3. Fields this tool does not know are kept. */
export function parseIgnition(text: string, subject: string): IgnitionConfig {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AtollError('INPUT_INVALID', `Cannot read ${subject}: it is not JSON`, {
      hint: 'Give an Ignition file as openshift-install or butane writes it',
      cause: error,
    });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data as IgnitionConfig;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') || 'document';
  throw new AtollError('INPUT_INVALID', `Cannot read ${subject}: ${field}: ${issue?.message}`, {
    hint: 'It must be an Ignition config with a version from 3.0.0 on',
  });
}

const DATA = /^data:(?<type>[^,]*?)(?<base64>;base64)?,(?<body>.*)$/s;

/** The bytes of a `data:` resource; undefined when they lie elsewhere. */
export function contentsOf(resource: IgnitionResource | undefined): Buffer | undefined {
  if (resource?.source === undefined || resource.source === '') return Buffer.alloc(0);
  const parts = DATA.exec(resource.source)?.groups;
  if (!parts) return undefined;
  const bytes = parts.base64
    ? Buffer.from(decodeURIComponent(parts.body ?? ''), 'base64')
    : Buffer.from(decodeURIComponent(parts.body ?? ''), 'utf8');
  return resource.compression === 'gzip' ? gunzipSync(bytes) : bytes;
}
