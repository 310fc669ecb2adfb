import { at, because, named, type PlainReading, word } from '../plain-reading.ts';

/** What registries and those before them answer, and what is wrong with images. */
export const REGISTRY_READINGS: readonly PlainReading[] = [
  {
    id: 'says-import-not-allowed',
    pattern:
      /importing images from registry "(?<registry>[^"]+)" is forbidden|registry "?(?<listed>[\w.:-]+)"? not allowed by whitelist/,
    cause: (found) =>
      `The cluster itself does not let images of ${word(found, 'registry', 'listed')} be imported: they are not in its list of registries`,
    remedy:
      'Add the registry, with its port where it has one and without a path, to allowedRegistriesForImport of the image configuration of the cluster',
  },
  {
    id: 'says-pull-not-granted',
    pattern: /Status 40[13] trying to pull repository (?<repository>[\w./-]+)/,
    cause: (found) =>
      `The registry does not give out ${word(found, 'repository')}: it was sent no login, or one without the right to it`,
    remedy:
      'Give the pod or its service account a pull secret for this registry, and see that it may read the repository',
  },
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
    cause: (found) =>
      `${at(found)}, or a proxy before it, gave up waiting for the rest of the request (408)`,
    remedy:
      'Raise the time limits of the proxy or load balancer before it, or push fewer layers at once; where small requests pass and large ones do not, look at the MTU of the way there',
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
    id: 'says-image-name',
    pattern:
      /(?<why>repository name (?:\(\S{1,200}\) )?must (?:be (?:lowercase|canonical)|have at least one component|not be more than \d+ characters)|references? (?:\S+ )?with both a tag and (?:a )?digest .{0,40}not supported|(?:image |reference |release image )\S{1,200} (?:has neither a tag nor a digest|without a tag or digest is not supported|doesn't have a tag or digest)|image reference \S{1,200} does not start with \S+|Invalid (?:source|destination|image) name \S{1,200} (?:unknown|invalid) (?:transport|image name) .{0,80}|Invalid image name "\S{1,200}", (?:unknown|expected|does) .{0,80}|failed to parse ref(?:erence)? "?https?:\/\/[^\s"]{1,200}|(?:"[^"\s]{0,200}"(?: for "[^"]{1,40}" flag)?: )?invalid reference format(?!: repository))/i,
    cause: (found) => `An image is not named as the program takes it: ${found.groups.why}`,
    remedy:
      'Write it in full and in small letters, registry/path:tag or registry/path@sha256:…, with the transport (docker://, oci:, dir:) where the program wants one',
  },
  {
    id: 'says-several-platforms',
    pattern:
      /the image is a manifest list and contains multiple images - use \**(?<flag>--[\w-]+)|use (?<keep>--keep-manifest-list) option for image manifest type|^\W*(?:Error: )?\S+[/:]\S+ is a manifest list$/i,
    cause: (found) =>
      word(found, 'flag') === undefined
        ? 'Behind the name are images of several architectures, and the command takes one or is to be told to take all'
        : `Behind the name are images of several architectures, and the command takes one: no filter was given (${word(found, 'flag')}, --index-filter-by-os), or what was given is none of those it lists`,
    remedy:
      'Name one that it lists, spelt so (--filter-by-os=linux/amd64; for the index of "oc adm catalog mirror" --index-filter-by-os), or take all of them (--keep-manifest-list=true with --filter-by-os=.*)',
  },
  {
    id: 'says-local-image-missing',
    pattern:
      /[Cc]ontainer image (?<image>[\w./:@-]+) does(?: not|n't) exist (?:on|in) (?:the |this )?local\b|[Ii]mage "?(?<other>[\w./:@-]+)"? (?:was |is )?not found (?:in|on) (?:the |this )?local\b(?!.*pulling)/,
    cause: (found) =>
      `The image ${word(found, 'image', 'other')} is not in the local storage of this machine: it was neither built nor loaded there`,
    remedy:
      'Build it, or save it where it is ("podman save -o FILE IMAGE") and load it here ("podman load -i FILE"), as the same user; "podman images" shows what there is',
  },
  {
    // opm names the index, the package and the channel, and says below them what is wrong.
    id: 'says-catalogue-invalid',
    pattern: /invalid index:.{0,20}invalid package "(?<name>[^"]+)":\s*(?<why>\S.*)?/,
    cause: (found) =>
      `The catalogue is not valid: its package "${word(found, 'name')}" has a mistake${because(word(found, 'why')?.replace(/└── /g, ''))}`,
    remedy:
      'The innermost line below it says which. Mostly the graph of a channel: "replaces" and "skips" must name other entries in full (PACKAGE.vVERSION), and all but one entry be replaced',
  },
  {
    id: 'says-opm-old',
    pattern: /unknown command "serve" for "opm"/,
    cause: () =>
      'The opm in the image of the catalogue is too old to serve catalogues of files: it knows only those with a database (before OpenShift 4.9)',
    remedy:
      'Build the catalogue on an opm image of 4.9 or newer, or mirror for this version with a tool that still writes a database',
  },
  {
    id: 'says-index-of-files',
    pattern:
      /missing label operators\.operatorframework\.io\.index\.database|only supports sqlite-based catalogs/,
    cause: () =>
      'The catalogue is one of files, and this command of opm works only on those with a database',
    remedy:
      'Filter it with "opm render IMAGE" and jq into a folder and build that, or let oc-mirror choose the packages',
  },
  {
    id: 'says-no-release',
    pattern:
      /(?<why>release image (?:\S+ )?did not contain (?:an image-references file|any image-references content)|unrecognized image-references in release payload.{0,120}|unable to load image-references from release payload$|image did not contain (?:release-manifests\/?\S*|image-references))/i,
    cause: (found) => `The image is no release of OpenShift: ${found.groups.why}`,
    remedy:
      'Give the release image itself (…/ocp-release:VERSION-ARCH or its digest), and not one of its parts or a catalogue; copy it again if the mirror holds only a part',
  },
  {
    id: 'says-release-unknown',
    pattern:
      /the semantic version "(?<version>[^"]+)" is not present in the cluster version status or in the official versions list/i,
    cause: (found) =>
      `Neither the cluster nor the list of released versions knows ${word(found, 'version')}`,
    remedy:
      'Correct the version; without a way to the internet name the release image in the mirror instead, by its digest',
  },
  {
    id: 'says-no-registry',
    pattern:
      /registry "?(?<name>[\w.:-]+)"? is not an accessible registry with a v2 Docker endpoint|can't talk to a V1 container registry|missing realm in bearer auth challenge|no realm specified for token auth challenge/i,
    cause: (found) =>
      `What answers at ${word(found, 'name') ?? at(found)} is not a registry as the program expects it (API version 2)${word(found, 'name') === undefined ? '' : ', or nothing answers'}`,
    remedy:
      'Look at name, port and path ("curl -sv https://HOST:PORT/v2/"): a registry answers with 200, or 401 and where to get a token',
  },
  {
    id: 'says-image-not-held',
    pattern: /: (?<image>[\w.-]+(?:[/:@][\w.-]+)*): image not known\b/i,
    cause: (found) => `This machine does not hold the image ${word(found, 'image')}`,
    remedy:
      'Look what it holds ("podman images", as the same user), pull or load it, and name it as it is listed there',
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
    id: 'says-part-not-served',
    pattern:
      /(?:error pulling image|download fail(?:ed|es) after attempts=\d+|fetching (?:blob|config)|reading (?:blob|config)|(?:copying|fetching) config).{0,300}(?:\bunknown blob\b|blob unknown|BLOB_UNKNOWN)/i,
    cause: (found) =>
      `${at(found)} knows the image, and does not hand out a part of it (unknown blob): its storage has lost it, or it passes another registry on and could not fetch the part from there`,
    remedy:
      'Of a registry that passes others on (remote, proxy): look whether it reaches the hosts that keep the layers of the other one, and empty its cache of this image; else push the image again',
  },
  {
    id: 'says-reference-incomplete',
    pattern: /error resolving name (?<name>[\w./:@-]*) ?: object required/,
    cause: (found) =>
      word(found, 'name') === undefined
        ? 'The name of an image is empty: what was given in its place (such as --bundles of opm, or a variable in it) has no value'
        : `The image ${word(found, 'name')} is named without a tag or digest`,
    remedy: 'Give the full name with its tag or digest; look at the variables of the command',
  },
  {
    id: 'says-token-not-given',
    pattern:
      /(?:bearer token|(?:anonymous|oauth) token): (?:invalid status code from registry|unexpected status(?: code)?(?: from \w+ request to \S+)?:?) (?<status>400|404|405|429|5\d\d)/,
    cause: (found) =>
      `${at(found)}, or the server that gives out its tokens, answers ${word(found, 'status')} to the request for one: ${
        {
          '4': 'it does not take the name of the repository, or what answers there is no such server',
          '5': 'that server fails',
        }[word(found, 'status') === '429' ? '' : (word(found, 'status') ?? '').slice(0, 1)] ??
        'it is asked too often'
      }`,
    remedy:
      'Look at the name (Docker Hub and Quay take two parts), at the address that "curl -si https://HOST/v2/" names in www-authenticate, and at the log of that server; where it comes and goes, try again',
  },
  {
    id: 'says-push-broken-off',
    pattern:
      /failed to (?:push (?<image>[^\s:]\S*?):? |copy).{0,200}(?:io: read\/write on closed pipe|use of closed network connection)/,
    cause: (found) =>
      `${at(found)}, or a proxy before it, broke the upload${named(word(found, 'image')).replace(/^ /, ' of ')} off before all of it was sent`,
    remedy:
      'Try again; where it repeats, look at the limits of size and time before the registry, at its log of that minute, and at its quota',
  },
  {
    id: 'says-layer-differs',
    pattern: /invalid diffID for layer (?<layer>\d+)/,
    cause: (found) =>
      `The archive of the image is damaged: its layer ${word(found, 'layer')} is not the one that its list names`,
    remedy:
      'Compare its checksum with the side it comes from, and save or copy it again (in binary, with -o)',
  },
  {
    id: 'says-layer-elsewhere',
    pattern: /invalid URL on layer/i,
    cause: (found) =>
      `${at(found)} does not take the manifest: a layer of the image lies at an address elsewhere (a foreign layer, as images of Windows have), which it does not allow`,
    remedy:
      'Leave that platform out of the copy, or allow such addresses in the registry (validation.manifests.urls.allow)',
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
