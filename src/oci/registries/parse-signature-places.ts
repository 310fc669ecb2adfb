import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { parseYaml } from '../../core/yaml.ts';
import type { ScopePlaces, SignaturePlaces } from './signature-places.ts';

const scopeSchema = z.looseObject({
  lookaside: z.string().nullish(),
  /** What `lookaside` was called before. */
  sigstore: z.string().nullish(),
  'use-sigstore-attachments': z.boolean().nullish(),
});
const fileSchema = z.looseObject({
  'default-docker': scopeSchema.nullish(),
  docker: z.record(z.string(), scopeSchema).nullish(),
});

/** Joins the files of a folder; the same scope in two of them is an error, as it is for podman and skopeo. */
export function parseSignaturePlaces(
  files: readonly { readonly path: string; readonly text: string }[],
): SignaturePlaces {
  const places = new Map<string, ScopePlaces>();
  for (const { path, text } of files) {
    const { docker, 'default-docker': rest } = parseFile(path, text);
    for (const [scope, said] of [
      ...Object.entries(docker ?? {}),
      ...(rest ? [['', rest] as const] : []),
    ]) {
      const before = places.get(scope);
      if (before)
        throw unusable(path, `"${scope || 'default-docker'}" is in "${before.file}", too`);
      places.set(scope, {
        file: path,
        lookaside: said.lookaside || said.sigstore || undefined,
        attachments: said['use-sigstore-attachments'] ?? undefined,
      });
    }
  }
  return places;
}

function parseFile(path: string, text: string): z.output<typeof fileSchema> {
  const parsed = fileSchema.safeParse(yamlOf(path, text) ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw unusable(path, `${issue?.path.join('.') || 'document'}: ${issue?.message}`);
}

function yamlOf(path: string, text: string): unknown {
  try {
    return parseYaml(text, 'strict');
  } catch (cause) {
    throw unusable(path, 'it is no YAML', cause);
  }
}

function unusable(path: string, why: string, cause?: unknown): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use "${path}": ${why}`, {
    hint: 'Write it with "atoll render registries-d"; see containers-registries.d(5)',
    cause,
  });
}
