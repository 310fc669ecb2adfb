import * as z from 'zod';
import { collect } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { ImageManifest } from '../../oci/manifest.ts';
import { verified } from '../../oci/verify.ts';

const MAX_CONFIG_BYTES = 8 * 1024 * 1024;

const schema = z.looseObject({
  architecture: z.string(),
  os: z.string(),
  config: z
    .looseObject({
      Cmd: z.array(z.string()).nullish(),
      Entrypoint: z.array(z.string()).nullish(),
      Labels: z.record(z.string(), z.string()).nullish(),
    })
    .nullish(),
  rootfs: z.looseObject({ type: z.string(), diff_ids: z.array(z.string()) }).optional(),
  history: z.array(z.looseObject({})).nullish(),
});

/** The config of an image; fields that are not ours are kept as they are. */
export type ImageConfig = z.infer<typeof schema>;

export async function readConfig(
  ctx: Context,
  source: Source,
  manifest: ImageManifest,
): Promise<ImageConfig> {
  const bytes = await readSmallBlob(ctx, source, manifest.config, MAX_CONFIG_BYTES);
  const parsed = schema.safeParse(jsonOf(bytes, manifest.config));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalid(manifest.config, `${issue?.path.join('.')}: ${issue?.message}`);
}

/** A blob that is known to be small, whole and verified. */
export async function readSmallBlob(
  ctx: Context,
  source: Source,
  descriptor: Descriptor,
  maxBytes: number,
): Promise<Uint8Array> {
  if (descriptor.size > maxBytes) {
    throw invalid(descriptor, `it has ${descriptor.size} bytes, more than ${maxBytes}`);
  }
  return await collect(verified(descriptor, source.blob(ctx, descriptor)));
}

function jsonOf(bytes: Uint8Array, descriptor: Descriptor): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw invalid(descriptor, 'it is not JSON', cause);
  }
}

function invalid({ digest }: Descriptor, found: string, cause?: unknown): AtollError {
  return new AtollError('MANIFEST_INVALID', `Cannot read ${digest}: ${found}`, {
    cause,
    details: { digest },
  });
}
