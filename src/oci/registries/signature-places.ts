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

export interface ScopePlaces {
  readonly file: string;
  readonly lookaside: string | undefined;
  readonly attachments: boolean | undefined;
}

/** Where signatures of images lie, as a `registries.d` folder says it: by scope, `''` for all others. */
export type SignaturePlaces = ReadonlyMap<string, ScopePlaces>;

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
