import { NO_FILE, TAKEN_OUT, withoutPages } from './host-words.ts';

/**
 * Whom an error is about. The same words ("connection refused", "certificate has expired") mean something else
 * when the mirror, the API or a name server is at the other end.
 */
export const PARTIES = [
  'mirror',
  'source',
  'api',
  'api-int',
  'mcs',
  'apps',
  'aws',
  'vcenter',
  'bmc',
  'proxy',
  'etcd',
  'kubelet',
  'rendezvous',
  'assets',
  'cache',
  'service',
  'telemetry',
  'other',
  'unknown',
] as const;
export type Party = (typeof PARTIES)[number];

const SOURCES =
  /^(?:(?:[\w-]+\.)*quay\.io|registry(?:\.access|\.connect|\.stage)?\.redhat\.(?:io|com)|registry\.(?:(?:build\d+\.)?ci|build\d*|svc\.ci)\.openshift\.org|sso\.redhat\.com|(?:[\w-]+\.)*docker\.(?:io|com)|(?:[\w-]+\.)?gcr\.io|ghcr\.io|registry\.k8s\.io|public\.ecr\.aws|nvcr\.io|(?:[\w-]+\.)?icr\.io|mcr\.microsoft\.com|registry\.gitlab\.com|docker\.elastic\.co|container-registry\.oracle\.com|registry\.(?:suse\.com|npmjs\.org|yarnpkg\.com|terraform\.io)|docker\.pkg\.github\.com|cgr\.dev|lscr\.io|(?:quayio-production-s3|prod-registry-k8s-io)[\w.-]*\.amazonaws\.com|(?:rhcos\.)?mirror\.openshift\.com|rhcos-redirector\.[\w.]+|api\.openshift\.com|storage\.googleapis\.com|(?:access|cdn)\.redhat\.com)$/i;

/** First match wins: by name and port of the other end. */
const BY_HOST: readonly (readonly [pattern: RegExp, party: Party])[] = [
  [
    /^(?:(?:console|cloud|infogw\.api|cert-api\.access|api\.access)\.(?:redhat|openshift)\.com|dl\.k8s\.io)\b/i,
    'telemetry',
  ],
  [/^(?:localhost|127\.0\.0\.1):55000$/i, 'cache'],
  [/:2262[34]$/, 'mcs'],
  [/^api-int\./i, 'api-int'],
  [/:6443$/, 'api'],
  [
    /\.apps\.|^(?:oauth-openshift|console-openshift-console|canary-openshift-ingress-canary)\./i,
    'apps',
  ],
  [/\.dkr\.ecr[\w-]*\.[\w-]+\.amazonaws\.com/i, 'mirror'],
  // A machine in the cloud is none of its services.
  [/(?<!\.compute(?:-\d)?)\.amazonaws\.com(?:\.cn)?(?::\d+)?$|\.api\.aws$/i, 'aws'],
  [/vcenter|vcsa|vsphere|^vc\d*[.-]/i, 'vcenter'],
  [/(?:^|[.-])(?:bmc|idrac|ilo|ipmi|redfish)\d*[\w-]*\./i, 'bmc'],
  [/:(?:3128|8888)$/, 'proxy'],
  [/:(?:2379|2380)$/, 'etcd'],
  [/:10250$/, 'kubelet'],
  // The APIs of OpenStack, whose paths begin like those of registries.
  [/:(?:8774|8776|9292|9696|13(?:292|696|774|776))$/, 'other'],
  // What a registry keeps its own records in.
  [/:(?:5432|3306|6379)$/, 'other'],
  [/:8090$/, 'rendezvous'],
  [/\.svc(?:\.cluster\.local)?(?::\d+)?$|^172\.30\./i, 'service'],
  [
    /^(?:registry|mirror|quay|harbor|nexus|artifactory|jfrog)[\w-]*\.|:5000$|[a-z][\w-]*:8443$/i,
    'mirror',
  ],
];

/** What names the other end, the most telling last in a line. */
const HOST = String.raw`(?:\[[\w:.]+\]|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d)|${TAKEN_OUT})(?::\d{1,5})?`;
const STRONG = new RegExp(
  [
    String.raw`(?:pinging (?:(?:container|docker) )?registry|access(?:ing)? registry|login to|logging into|login attempt to|creds for|Error response from daemon: Get) "?(?:https?:\/\/)?(?<registry>${HOST})`,
    String.raw`(?:\b(?:Get|Post|Put|Patch|Head|Delete|HEAD|GET|PUT|POST|PATCH|DELETE)[ :]+|\burl[=:] ?|\bfrom |\bat |\buploading layer to )"?(?<scheme>https?):\/\/(?:[^\s"/@]+@)?(?<url>${HOST})(?<path>\/[^\s"]*)?`,
    String.raw`(?:reading|writing|uploading|fetching|requesting) (?:manifest|blob|signatures|config)[^\s]* \S+ (?:in|to|from) (?<held>${HOST})\/`,
    String.raw`\b(?:exists in|stored in|(?:push|upload)\w*(?: (?:blob|manifest|layer|image|config))?(?: \S+)? to) (?<kept>${HOST})\/`,
    String.raw`initiating layer upload to \S+ in (?<uploaded>${HOST})`,
    String.raw`(?:pull|pulling|push|pushing|access denied for|resolve reference|source image|read image) (?:image |from host )?"?(?:docker:\/\/)?(?<image>(?:[\w-]+(?:\.[\w-]+)+|${TAKEN_OUT})(?::\d+)?)\/`,
    String.raw`(?:pull image "|pull access denied for )(?<hub>[a-z0-9_-]+(?:\/[\w.-]+)?)(?:[:@][^"\s]*)?[",]`,
    String.raw`\bhost(?: "?|=')(?<named>[\w-]+(?:\.[\w-]+)+(?::\d+)?)`,
    String.raw`(?:\blookup|resolve host(?: address)?:?|could not be resolved:) [‘'"]?(?<looked>[\w.-]+)`,
    String.raw`(?:Failed to connect to|\bnc(?: -\S+)*|\btelnet) (?<target>[\w.-]+)(?: port)? (?<port>\d+)`,
  ].join('|'),
  'g',
);
const WEAK = new RegExp(
  String.raw`docker:\/\/(?<image>[\w.-]+(?::\d+)?)|(?<scheme>https?):\/\/(?<url>${HOST})(?<path>\/[^\s"]*)?|\b(?<pair>(?:\d{1,3}(?:\.\d{1,3}){3}|[\w-]+(?:\.[\w-]+)+)${NO_FILE}:\d{2,5})\b|\b(?<repo>[\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*(?::\d+)?)\/(?!\S*\.go:\d)[\w./-]+[@:][\w.-]+|certificate is valid for .{0,300}, not (?<named>[\w-]+(?:\.[\w-]+)+)`,
  'g',
);
const MARK = '(Mirrors also failed: ';
const REGISTRY_WORDS =
  /\/v2\/|container registry|docker registry|\bmanifest\b|\bblobs?\b|\bimage\b|registry|docker:\/\//i;

/** Said by the one that is written to, whatever image the line names; a file on disk is where something read goes. */
const WRITES =
  /unable to push (?:manifest to|.*\bupload)|failed to (?:put|push) (?:manifest|blob)|(?:at destination|writing (?:blob|manifest)|uploading (?:blob|manifest)|committing the finished blob): (?!.*(?:storing blob to file|happened during read|pinging container registry|https?:\/\/))/i;

/** oc-mirror writes to its own cache, unless that is where an image comes from. */
const TO_CACHE = /(?<!docker:\/\/localhost):55000/;

/** The other ends a line speaks of: of a failed request the one that answered, else all that are named. */
export function partiesOf(text: string): readonly Party[] {
  if (/proxyconnect|Proxy Authentication Required|X-Squid-Error/i.test(text)) return ['proxy'];
  // What could not be pushed is named by where it came from.
  if (WRITES.test(text) && !TO_CACHE.test(text)) return ['mirror'];
  const from = text.indexOf(MARK);
  const seen = withoutPages(from < 0 ? text : text.slice(from + MARK.length));
  const strong = [...seen.matchAll(STRONG)].at(-1)?.groups;
  if (strong) return [partyOf(strong, seen)];
  const weak = weakParties(seen.replace(SOCKETS, ' '), seen);
  if (weak.length > 0) return weak;
  // So oc speaks of the API alone.
  if (text.includes('Unable to connect to the server: ')) return ['api'];
  return orUnknown(weakParties(seen, seen));
}

const ADDRESS = /^(?:[\d.]+|\[.*\]|\*+)$/;

/**
 * What tells the other ends of two lines apart: mirrors by their names, all others by what they are. None: the line
 * names no mirror but by its address, which may be any of them.
 */
export function endsOf(text: string): readonly string[] {
  const from = text.indexOf(MARK);
  const seen = from < 0 ? text : text.slice(from + MARK.length);
  const strong = [...seen.matchAll(STRONG)];
  const found = strong.length > 0 ? strong : [...seen.replace(SOCKETS, ' ').matchAll(WEAK)];
  const ends = found.flatMap(({ groups }) => {
    const party = groups && partyOf(groups, seen);
    if (!groups || party !== 'mirror') return party ?? [];
    const name = hostIn(groups).replace(/:\d+$/, '');
    return ADDRESS.test(name) ? [] : name;
  });
  return [...new Set(ends)];
}

/** Addresses of a broken connection: they say less than any name in the line. */
const SOCKETS = /\S+:\d+->\S+:\d+/g;

const weakParties = (part: string, seen: string): readonly Party[] => [
  ...new Set(
    [...part.matchAll(WEAK)].flatMap(({ groups }) => (groups ? [partyOf(groups, seen)] : [])),
  ),
];

const orUnknown = (parties: readonly Party[]): readonly Party[] =>
  parties.length > 0 ? parties : ['unknown'];

const MAX_KEPT = 1000;
const keptHosts = new Map<string, Party | undefined>();

function partyOfHost(host: string): Party | undefined {
  if (keptHosts.has(host)) return keptHosts.get(host);
  const isSource = SOURCES.test(host.replace(/:\d+$/, ''));
  const party = isSource ? 'source' : BY_HOST.find(([pattern]) => pattern.test(host))?.[1];
  if (keptHosts.size >= MAX_KEPT) keptHosts.clear();
  keptHosts.set(host, party);
  return party;
}

type HostGroups = Readonly<Record<string, string | undefined>>;

/** The host that a pattern found, by whichever of its groups. */
function hostIn(groups: HostGroups): string {
  const { registry, url, held, kept, uploaded, image, named, looked, pair, repo, target, port } =
    groups;
  const asked = target === undefined ? undefined : `${target}:${port}`;
  const written = held ?? kept ?? uploaded;
  return registry ?? url ?? written ?? image ?? named ?? looked ?? pair ?? repo ?? asked ?? '';
}

/** Where OpenStack keeps the images of machines, and the installer what a bootstrap machine is to be. */
const IMAGE_OF_GLANCE = /^\/+(?:image\/)?v2\/images\/[0-9a-f-]{36}\b/;

/** What no registry is asked for, whatever port it listens on. */
const NO_REGISTRY_PATHS: readonly (readonly [path: RegExp, party: Party])[] = [
  [/^\/(?:apis\/|oauth\/token\b|api\/v1\/(?:namespaces|nodes|pods|services)\b)/, 'api'],
  // The identity service of OpenStack listens where many a registry does.
  [/^\/(?:identity\/)?v(?:2\.0|3)\b/, 'other'],
  [IMAGE_OF_GLANCE, 'other'],
  // Mirrors of packages have the names of mirrors of images.
  [/\/(?:repodata|dists|simple)\/|\.(?:rpm|deb|whl|jar|pom|git)\b/, 'other'],
];

const IGNITION_FILE = /\.ign\b/;
/** First match wins: by what is asked for of a host that no name tells. */
const BY_PATH: readonly (readonly [pattern: RegExp, party: Party])[] = [
  [/^\/config\/(?:master|worker)/, 'mcs'],
  [/\/redfish\//i, 'bmc'],
  [/^\/(?:sdk|nfc)\b/, 'vcenter'],
  [IGNITION_FILE, 'assets'],
  [IMAGE_OF_GLANCE, 'other'],
];

function partyOf(groups: HostGroups, text: string): Party {
  const { registry, path = '', held, kept, uploaded, image, looked, repo, hub } = groups;
  // A name without a host is one of Docker Hub.
  if (hub !== undefined) return 'source';
  // Where registry.k8s.io sends those who pull.
  if (path.startsWith('/v2/k8s-artifacts-prod/')) return 'source';
  const known = partyOfHost(hostIn(groups));
  const isIgnitionFile = IGNITION_FILE.test(path);
  const asked = known === 'mirror' ? NO_REGISTRY_PATHS.find(([one]) => one.test(path)) : undefined;
  if (asked) return asked[1];
  // A web server may well stand in the network that services have by default.
  if (known && !(known === 'service' && isIgnitionFile)) return known;
  if (looked !== undefined && /^api\./.test(looked)) return 'api';
  const byPath = BY_PATH.find(([pattern]) => pattern.test(path))?.[1];
  if (byPath) return byPath;
  const isRegistry =
    registry ?? held ?? kept ?? uploaded ?? image ?? repo ?? REGISTRY_WORDS.exec(text)?.[0];
  return isRegistry === undefined || isRegistry === '' ? 'other' : 'mirror';
}
