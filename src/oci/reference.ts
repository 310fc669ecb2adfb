import { AtollError } from '../core/errors.ts';
import { type Digest, isDigest } from './digest.ts';

/** Where an image is: registry, repository, and a tag, a digest, or both. */
export interface Reference {
  /** Host with optional port; IPv6 in brackets. Docker Hub is `docker.io`. */
  readonly registry: string;
  readonly repository: string;
  readonly tag?: string | undefined;
  readonly digest?: Digest | undefined;
}

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const HOST = new RegExp(
  `^(?:\\[[0-9a-fA-F:.]+\\]|${LABEL}(?:\\.${LABEL})*)(?::(?<port>\\d{1,5}))?$`,
);
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
/** Docker's image ids: everybody takes such a text for one, and never for a name. */
const IMAGE_ID = /^[0-9a-f]{64}$/;
const DOCKER_HUB = 'docker.io';
const MAX_NAME = 255;

export const isTag = (text: string): boolean => TAG.test(text);

/** Whether this is a repository path as the distribution specification allows it. */
export function isRepository(text: string): boolean {
  return text.length <= MAX_NAME && text.split('/').every((part) => COMPONENT.test(part));
}

/** Whether this is a host with an optional port. */
function isRegistry(text: string): boolean {
  const parts = HOST.exec(text);
  return parts !== null && Number(parts.groups?.port ?? 1) <= 65_535;
}

/** Parses `[registry/]repository[:tag][@digest]`; short names mean Docker Hub, as everywhere. */
export function parseReference(text: string): Reference {
  const fail = (found: string, hint?: string) => invalid(text, found, hint);
  if (text === '') throw fail('it is empty');
  if (IMAGE_ID.test(text)) throw fail('it is an image id or a bare digest, which names no image');
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !isDigest(digest)) throw fail(`"${digest}" is not a digest`);

  const { name, tag } = splitTag(at < 0 ? text : text.slice(0, at));
  if (tag !== undefined && !isTag(tag)) throw fail(`"${tag}" is not a tag`);

  const { registry, repository } = splitRegistry(name);
  if (!isRegistry(registry)) throw fail(`"${registry}" is not a registry host`);
  if (!isRepository(repository)) {
    const hint = /[A-Z]/.test(repository) ? 'Write the repository in lower case' : undefined;
    throw fail(`"${repository}" is not a repository`, hint);
  }
  return {
    registry,
    repository,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** The same, or undefined for what is no reference: where a name may be something else. */
export function referenceIfValid(text: string): Reference | undefined {
  try {
    return parseReference(text);
  } catch {
    return undefined;
  }
}

/** Full form; `parseReference` reads it back to the same reference. */
export function formatReference(reference: Reference): string {
  const tag = reference.tag === undefined ? '' : `:${reference.tag}`;
  const digest = reference.digest === undefined ? '' : `@${reference.digest}`;
  return `${reference.registry}/${reference.repository}${tag}${digest}`;
}

/** `registry/repository`, without tag and digest. */
export function repositoryName({
  registry,
  repository,
}: Pick<Reference, 'registry' | 'repository'>): string {
  return `${registry}/${repository}`;
}

/** What to ask the registry for: the digest where there is one, else the tag, else `latest`. */
export function tagOrDigestOf(reference: Reference): string {
  return reference.digest ?? reference.tag ?? 'latest';
}

function splitTag(text: string): { name: string; tag: string | undefined } {
  const colon = text.lastIndexOf(':');
  // A colon before the last slash belongs to the port.
  if (colon < 0 || colon < text.lastIndexOf('/')) return { name: text, tag: undefined };
  return { name: text.slice(0, colon), tag: text.slice(colon + 1) };
}

function splitRegistry(name: string): { registry: string; repository: string } {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  // Docker's rule: the first part is a host only if it looks like one.
  const isHost = /[.:[]/.test(first) || first === 'localhost' || /[A-Z]/.test(first);
  const registry = isHost ? hubName(first) : DOCKER_HUB;
  const path = isHost ? name.slice(slash + 1) : name;
  const official = registry === DOCKER_HUB && !path.includes('/');
  return { registry, repository: official ? `library/${path}` : path };
}

function hubName(host: string): string {
  return host === 'index.docker.io' ? DOCKER_HUB : host;
}

function invalid(text: string, found: string, hint?: string): AtollError {
  return new AtollError('REFERENCE_INVALID', `Cannot parse image reference "${text}": ${found}`, {
    hint: hint ?? 'Write it as "registry/repository:tag" or "registry/repository@sha256:…"',
  });
}
