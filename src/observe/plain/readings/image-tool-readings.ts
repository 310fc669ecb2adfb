import { at, because, named, type PlainReading, word } from '../plain-reading.ts';

/** What the tools say that copy, build and sign images, of their settings and of what a format can hold. */
export const IMAGE_TOOL_READINGS: readonly PlainReading[] = [
  {
    id: 'says-sigstore-off',
    pattern: /writing sigstore attachments is disabled by configuration/,
    cause: () =>
      'The image has signatures (Sigstore), and the settings of this machine do not let them be written beside the copy',
    remedy:
      'Set "use-sigstore-attachments: true" for the target in a file below /etc/containers/registries.d/, or copy without them (--remove-signatures)',
  },
  {
    id: 'says-signatures-not-kept',
    pattern:
      /(?:storing|pushing) signatures (?:for|to|in) (?<form>[\w .:-]{2,40}?) (?:is|are) not supported|(?<locked>Would invalidate signatures)/i,
    cause: (found) =>
      word(found, 'locked') === undefined
        ? `The image is signed, and the form that it is written in (${word(found, 'form')}) cannot keep signatures`
        : 'The image is signed, and would have to be altered for this copy, by which its signatures no longer fit',
    remedy:
      'Copy without them (--remove-signatures; a newer "podman save" leaves them out), or into a form that keeps them (dir:, a registry); of opm leave -c podman away',
  },
  {
    // Layers have files of root, whose folders only root may write in.
    id: 'says-opm-unpacks',
    pattern:
      /(?:open|mkdir|unlinkat|remove|symlink|link|lchown|chmod) (?<path>\S{0,100}(?:index_tmp|bundle_tmp|index_build_tmp|opm-bundle-|render-unpack-)\w*\/\S+): (?:permission denied|operation not permitted)/,
    cause: (found) =>
      `opm unpacks an image as a user who may not write all of its files (${word(found, 'path')}): they belong to root in the image, or their folder is not writable`,
    remedy: 'Run it as root, or let podman unpack ("opm … -c podman")',
  },
  {
    id: 'says-registries-setting',
    pattern:
      /(?<why>pull-from-mirror must not be set for a non-mirror registry .{0,80}|cannot set mirrors for a blocked registry.{0,80}|unsupported pull-from-mirror value .{0,80}|mixing sysregistry v1\/v2 is not supported|invalid (?:prefix '[^']*' for empty location|location: (?:cannot be empty|'prefix').{0,80})|registries\.conf v1.{0,60}not supported)/,
    cause: (found) => `registries.conf is not taken by the container tools: ${word(found, 'why')}`,
    remedy:
      'Correct /etc/containers/registries.conf and the files in registries.conf.d: [[registry]] with prefix and location, below it [[registry.mirror]] with its own location; on nodes it is written from IDMS, ITMS and ICSP',
  },
  {
    id: 'says-policy-missing',
    pattern: /no policy\.json file found at any of the following: (?<paths>[^)]{5,200})/,
    cause: (found) =>
      `The file policy.json, without which the container tools take no image, is missing on this machine (${word(found, 'paths')?.replaceAll(/["\\]/g, '')})`,
    remedy:
      'Install the package containers-common, or write {"default":[{"type":"insecureAcceptAnything"}]} into /etc/containers/policy.json where nothing is to be checked',
  },
  {
    id: 'says-docker-plugin-missing',
    pattern:
      /docker: '(?<name>buildx|compose|scout|model|sbom)' is not a docker command|docker: unknown command: docker (?<other>\w+)/,
    cause: (found) =>
      `This Docker has no command ${word(found, 'name', 'other')}: it is a plugin of its own, which is not installed for this user`,
    remedy:
      'Install docker-compose-plugin or docker-buildx-plugin (below /usr/libexec/docker/cli-plugins or ~/.docker/cli-plugins, to be run by all), or call the older docker-compose',
  },
  {
    // Without its plugin, docker reads what was for compose as its own.
    id: 'says-compose-missing',
    after: /\bdocker compose\b/,
    pattern: /unknown (?:shorthand )?flag: (?<flag>'\w+' in -\w+|--?[\w-]+)/,
    cause: (found) =>
      `Docker takes the options of "docker compose" for its own (${found.groups.flag}): its plugin compose is not installed for this user, or is too old for them`,
    remedy:
      'Install docker-compose-plugin ("docker compose version" shows it), or call docker-compose',
  },
  {
    id: 'says-one-image-only',
    pattern:
      /destination transport "?(?<transport>[\w-]+)"? does not support copying multiple images|manifest lists are not supported (?:by|for) (?:the )?"?(?<kind>[\w-]+ ?\w*)|"(?<save>[\w-]+)" does not support saving multiple images|(?<docker>docker) exporter does not currently support exporting manifest lists|(?<archive>docker-archive) doesn't support modifying existing images/i,
    cause: (found) =>
      word(found, 'archive') === undefined
        ? `The form that is written to (${word(found, 'transport', 'kind', 'docker', 'save')}) holds one image, and images of several platforms are given`
        : 'The file that is written to is there already, and an archive of this form (docker-archive) takes nothing in afterwards',
    remedy:
      'Choose one platform (--platform; skopeo without --all), or a form that holds lists: a registry, oci:, dir:; for an archive that exists take another name or remove it first',
  },
  {
    id: 'says-builder-limited',
    pattern:
      /(?<what>Multi-platform build|Cache export|[A-Z][\w -]{2,40}) is not supported for the (?<driver>docker) driver/,
    cause: (found) =>
      `${word(found, 'what')} is not done by the builder that is in use (driver ${word(found, 'driver')})`,
    remedy:
      'Make one that does: "docker buildx create --use --driver docker-container" (its image moby/buildkit has to be in the mirror where there is no internet), or switch on the containerd image store',
  },
  {
    id: 'says-not-in-context',
    pattern:
      /failed to (?:calculate checksum of ref|compute cache key:?) \S*(?:: )?.{0,120}?"(?<path>\/[^"]+)"?: not found|COPY failed: (?:stat |file not found in build context.{0,40}: stat )(?<classic>[^\s:]+)|copier: stat: "(?<buildah>[^"]+)": no such file/,
    cause: (found) =>
      `${word(found, 'path', 'buildah', 'classic')} is not in the directory that the image is built from (the context), or is left out by .dockerignore`,
    remedy:
      'Paths of COPY and ADD count from the context, the last argument of the build: put the file below it, give the right directory, or take it out of .dockerignore',
  },
  {
    id: 'says-compression-of-format',
    pattern:
      /compression using (?<kind>\S+?),? .{0,30}required (?:but the destination only supports|together with format)|zstd compression is not supported for docker images/,
    cause: (found) =>
      `The layers are to be compressed by ${word(found, 'kind') ?? 'zstd'}, which the format of the copy (Docker, schema 2) does not have`,
    remedy: 'Write the copy in the OCI format (--format oci), or leave gzip as it is',
  },
  {
    id: 'says-delete-off',
    pattern:
      /deleting (?<image>[\w.-]+(?::\d+)?\/\S+): (?:unsupported: )?The operation is unsupported|Unable to delete (?<name>\S+)\. Image may not exist/i,
    cause: (found) =>
      word(found, 'name') === undefined
        ? `The registry does not let images be deleted (${word(found, 'image')})`
        : `${word(found, 'name')} cannot be deleted: it is not there by this name, or the registry lets nothing be deleted`,
    remedy:
      'Allow it in the registry (REGISTRY_STORAGE_DELETE_ENABLED=true; roles in Quay and Harbor), then let it collect garbage',
  },
  {
    id: 'says-key-locked',
    pattern:
      /(?:reading key|private key|signer).{0,80}: (?<why>(?:decrypt: )?(?:encrypted: )?decryption failed|bad passphrase|invalid passphrase.{0,40})|(?<gpg>decrypt: encrypted: decryption failed)/,
    cause: (found) =>
      `The private key cannot be opened${because(word(found, 'why', 'gpg'))}: the passphrase that was given is not its own, or none was`,
    remedy:
      'Give the right one (COSIGN_PASSWORD, --sign-passphrase-file); a variable of a pipeline that is masked or empty counts as a wrong one',
  },
  {
    id: 'says-token-address',
    pattern:
      /realm scheme "(?<scheme>\w+)" not allowed|realm host "(?<host>[^"]+)" is a private|malformed www-authenticate, missing (?<realm>realm)/i,
    cause: (found) =>
      `The registry sends the client for a token to an address that it does not take (${word(found, 'scheme') === undefined ? (word(found, 'host') ?? 'none is named') : `${word(found, 'scheme')}://`}): mostly the registry does not know by which name and with TLS it is reached from outside`,
    remedy:
      'Set its outside address (REGISTRY_HTTP_HOST, external_url, SERVER_HOSTNAME with PREFERRED_URL_SCHEME), and have the proxy in front pass X-Forwarded-Proto on',
  },
  {
    id: 'says-upload-range',
    pattern:
      /\b416\b.{0,60}range invalid|range invalid: invalid content range|BLOB_UPLOAD_INVALID.{0,120}range/i,
    cause: (found) =>
      `${at(found)} does not know how far this upload came (416): its parts reach different copies of the registry that share no storage or secret, or a proxy in between alters or repeats them`,
    remedy:
      'Give all copies one storage and the same secret (REGISTRY_HTTP_SECRET), or keep a client at one of them; then upload again from the start',
  },
  {
    // A lookaside store that is a web server gives its page for everything.
    id: 'says-signature-no-signature',
    pattern:
      /parsing signature (?<url>\S+): unrecognized signature format, starting with binary 0x(?<first>\w\w)/,
    cause: (found) =>
      `What lies at ${word(found, 'url')} is no signature${word(found, 'first')?.toLowerCase() === '3c' ? ', but a web page' : ''}: the place for signatures (lookaside) is answered by something else`,
    remedy:
      'Correct "lookaside" for this registry below /etc/containers/registries.d/; the server there must say 404 for what it does not have',
  },
  {
    // A login with such characters, or a line that was copied in part.
    id: 'says-shell-syntax',
    pattern:
      /\b(?<shell>(?:ba|da|z|k)?sh): (?:-c: )?(?:(?:line )?\d+: )?(?<why>syntax error: .{3,80}|syntax error near unexpected token .{1,20}|unexpected EOF while looking for matching .{1,6}|Unterminated quoted string.{0,20})/i,
    cause: (found) =>
      `The shell (${word(found, 'shell')}) cannot read the command, so nothing of it ran: ${found.groups.why}`,
    remedy:
      'Look for what the shell takes for itself, such as ( ) & ; $ ! or a quote in a password or address: put it between single quotes, or give it by a file or standard input; else a line was copied in part',
  },
  {
    id: 'says-mirrors-not-listed',
    pattern: /no alternative image references found for image: (?<image>\S+)/,
    cause: (found) =>
      `The file of mirrors that was given (--idms-file, --icsp-file) has no entry for ${word(found, 'image')}`,
    remedy:
      'Take the file that was written when the release was mirrored; its "source" must be the repository of that image, up to its last part',
  },
  {
    id: 'says-schema-1-gone',
    pattern:
      /manifest version 2, schema 1 support (?:has been|is) removed\.(?:.{0,40}author of (?<image>\S+))?|unsupported schema version (?<version>1)\b/,
    cause: (found) =>
      `The image${named(word(found, 'image'))} is kept in an old format (manifest of schema 1), which this program no longer reads`,
    remedy:
      'Push it anew from a tool that writes schema 2 or OCI (pull with an older client, or "skopeo copy --format v2s2"), or take a newer build of it',
  },
  {
    id: 'says-repository-unknown',
    pattern:
      /(?:(?<where>[\w.-]+(?::\d+)?\/[\w./-]+): )?(?:name unknown: |NAME_UNKNOWN: )(?:repository name not known to registry|(?:the )?repository (?:with name ')?(?<name>[\w./-]+)'? (?:does not exist|not (?:found|known)))/i,
    cause: (found) =>
      `The registry has no repository${named(word(found, 'name', 'where'))}: nothing was pushed there by that name yet, or it is spelt otherwise`,
    remedy:
      'Compare the name with what the registry has ("skopeo list-tags", /v2/_catalog); in a mirror the path is often longer than at the source',
  },
];
