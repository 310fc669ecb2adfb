/** Something in a file that names a place to fetch from. */
export interface NamedPlace {
  readonly path: string;
  readonly kind: 'image' | 'url';
  readonly text: string;
}

const IMAGE =
  /(?<![\w/:.@-])(?:docker:\/\/)?((?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost)(?::\d+)?\/[a-z0-9._/-]*[a-z0-9](?::[\w][\w.-]*)?@sha256:[0-9a-f]{64}|(?:[a-z0-9-]+(?:\.[a-z0-9-]+)+|localhost)(?::\d+)?\/[a-z0-9._/-]*[a-z0-9]:[\w][\w.-]*)(?![\w/])/g;
const URL = /\bhttps?:\/\/[^\s"'`<>\\)\]},;$]+/g;
/** Names that only mean something inside, and placeholders. */
const INSIDE =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[|0\.0\.0\.0)|\.svc$|\.svc\.|\.cluster\.local$|\.internal$|^[^.]+$/;

/** Images and URLs a file mentions, each once; comments are skipped. */
export function referencesIn(path: string, text: string): NamedPlace[] {
  const live = text.replace(/^\s*(?:#|\/\/).*$/gm, '').replace(/\s#\s.*$/gm, '');
  const images = [...live.matchAll(IMAGE)].map(([, image = '']) => image);
  const urls = [...live.matchAll(URL)].map(([url]) => url.replace(/[.:]+$/, ''));
  return [
    ...[...new Set(images)].map((one) => ({ path, kind: 'image' as const, text: one })),
    ...[...new Set(urls)].map((one) => ({ path, kind: 'url' as const, text: one })),
  ];
}

/** Host of a URL, without its port; empty when it has none. */
export function urlHost(url: string): string {
  return /^https?:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^/:?#]*)/.exec(url)?.[1]?.toLowerCase() ?? '';
}

export const isInside = (host: string): boolean => INSIDE.test(host);
