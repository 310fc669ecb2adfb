import { at, because, named, type PlainReading, word } from './plain-reading.ts';

/** What registries and those before them answer, and what is wrong with images. */
export const REGISTRY_READINGS: readonly PlainReading[] = [
  {
    id: 'says-method-refused',
    pattern:
      /\b405\b:? (?:Method )?Not Allowed|unexpected 405|(?:status|code|error):?(?: code)?:? 405\b|\b405\b response/i,
    cause: (found) =>
      `${at(found)} does not take such a request (405): it is only for reading, or no service of this kind is at the address`,
    remedy:
      'Push to a repository that takes pushes (no proxy cache, no group), and look at port and path of the address',
  },
  {
    id: 'says-upload-slow',
    pattern: /\b408\b:? Request Time-?out|(?:status|code):?(?: code)?:? 408\b/i,
    cause: (found) => `${at(found)}, or a proxy before it, gave up waiting for the upload (408)`,
    remedy:
      'Raise the time limits of the proxy or load balancer before it, or push fewer layers at once',
  },
  {
    id: 'says-redirected',
    pattern: /Server error: 30[127]\b|unexpected (?:status code |status: ?)?30[127]\b/i,
    cause: (found) => `${at(found)} answers with a redirect where none is expected`,
    remedy:
      'Use the address it redirects to; behind a proxy that ends TLS, let the proxy pass X-Forwarded-Proto',
  },
  {
    id: 'says-web-page',
    pattern:
      /invalid character '<' looking for|but got <html>|(?:unexpected media|unknown) type:? text\/html|could not properly parse response JSON|(?:status|code)\S* ?\d*.{0,20}<!DOCTYPE html/i,
    cause: (found) => `What ${at(found)} answers is a web page, and not what was asked for`,
    remedy:
      'Look what really answers there ("curl -v URL"): the page of a proxy, of a login or of a web interface; correct the address',
  },
  {
    id: 'says-request-bad',
    isGeneral: true,
    pattern: /\bStatusCode: 400,|\b400 Bad Request/i,
    cause: (found) => `${at(found)}, or what is before it, takes the request for malformed (400)`,
    remedy:
      'Look at the name, tag or field that was sent, and whether a proxy or load balancer before it answered instead',
  },
  {
    id: 'says-manifest-refused',
    pattern:
      /manifest invalid|MANIFEST_INVALID|unsupported manifest|manifest type .{0,60}not supported/i,
    cause: (found) =>
      `${at(found)} does not take the manifest: it does not know this type, or lacks what it refers to`,
    remedy:
      'Copy all of an image (--all, --keep-manifest-list) to a registry that takes lists, OCI manifests and referrers, or let the tool convert it (--format v2s2)',
  },
  {
    id: 'says-blob-missing',
    pattern:
      /\bunknown blob\b|blob unknown|BLOB_UNKNOWN|layer "?(?<layer>sha256:\w+)"? is not present/i,
    cause: (found) => `A layer${named(word(found, 'layer'))} is not where it should be`,
    remedy:
      'Copy the image again; where it repeats, the storage of the registry has lost it, or the archive is not complete',
  },
  {
    id: 'says-type-unknown',
    pattern: /unsupported (?:MIME|media) ?type[^:]*:? ?(?<type>[\w./+-]+\/[\w./+-]+)?/i,
    cause: (found) =>
      `The program or registry does not know this kind of content${because(word(found, 'type'))}`,
    remedy: 'Use a newer version of it, or leave such content out',
  },
  {
    id: 'says-pem-wrong',
    pattern:
      /PEM_read_bio\w*\("(?<file>[^"]+)"\)|PEM routines:\S* ?no start line|failed to find any PEM data|(?:is|are) not (?:a )?(?:valid )?PEM|no PEM (?:data|block)/i,
    cause: (found) => `A certificate or key${named(word(found, 'file'))} is no PEM text`,
    remedy:
      'It has to begin with "-----BEGIN"; convert it ("openssl x509 -inform der"), and look that no part of it was lost',
  },
  {
    id: 'says-key-of-other',
    pattern: /private key does not match public key|key values mismatch/i,
    cause: () => 'The private key does not belong to the certificate',
    remedy: 'Give the key with which this certificate was requested, or make a new pair',
  },
];
