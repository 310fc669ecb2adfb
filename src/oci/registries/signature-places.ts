import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { parseYaml } from '../../core/yaml.ts';
import { type Reference, repositoryName } from '../reference.ts';

/** From the most exact to the widest, as containers-policy.json(5) and containers-registries.d(5) look names up. */
export function scopesOf({ registry, repository, tag, digest }: Reference): string[] {
  const name = `${registry}/${repository}`;
  const exact = digest ? [`${name}@${digest}`] : [`${name}:${tag ?? 'latest'}`];
  const parts = repository.split('/');
  const parents = parts.map((_, index) =>
    [registry, ...parts.slice(0, parts.length - index)].join('/'),
  );
  // Wildcards are for names: they cover every port.
  const labels = registry.replace(/:\d+$/, '').split('.');
  const wildcards = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [...exact, ...parents, registry, ...wildcards];
}

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

interface ScopePlaces {
  readonly file: string;
  readonly lookaside: string | undefined;
  readonly attachments: boolean | undefined;
}

/** Where signatures of images lie, as a `registries.d` folder says it: by scope, `''` for all others. */
export type SignaturePlaces = ReadonlyMap<string, ScopePlaces>;

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

/** The file that says that an image has no signatures beside it; undefined where they are looked for. */
export function withoutAttachments(
  places: SignaturePlaces,
  reference: Reference,
): string | undefined {
  const said = closest(places, reference, ({ attachments }) => attachments !== undefined);
  return said?.attachments === false ? said.file : undefined;
}

/** URL of the folder with the GPG signatures of an image, up to its digest. */
export function lookasideOf(places: SignaturePlaces, reference: Reference): string | undefined {
  const said = closest(places, reference, ({ lookaside }) => lookaside !== undefined)?.lookaside;
  const path = repositoryName(reference).slice(reference.registry.length + 1);
  return said && `${said.replace(/\/+$/, '')}/${path}@`;
}

/** A scope that says nothing of what is asked leaves it to the next wider one. */
function closest(
  places: SignaturePlaces,
  reference: Reference,
  says: (place: ScopePlaces) => boolean,
): ScopePlaces | undefined {
  return [...scopesOf(reference), '']
    .flatMap((scope) => places.get(scope) ?? [])
    .find((place) => says(place));
}
