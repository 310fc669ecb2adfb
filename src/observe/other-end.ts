import { NO_FILE, TAKEN_OUT, withoutPages } from './host-words.ts';
import { type Party, partiesOf } from './party.ts';

/** Whom a line talks to, as a person would say it. */
export interface OtherEnd {
  readonly name: string;
  readonly text: string;
}

/** What listens at a port wherever OpenShift and its tools run. */
const PORTS: Readonly<Record<string, string>> = {
  '22': 'SSH',
  '53': 'a name server',
  '111': 'NFS',
  '123': 'a time server',
  '389': 'LDAP',
  '623': 'a management controller',
  '636': 'LDAP',
  '2049': 'NFS',
  '2379': 'etcd',
  '2380': 'etcd',
  '3128': 'a proxy',
  '3260': 'iSCSI',
  '5050': 'the Ironic inspector',
  '5432': 'PostgreSQL',
  '6180': 'the image server of the bare metal services',
  '6379': 'Redis',
  '6385': 'Ironic, which installs bare metal hosts',
  '6443': 'the API of the cluster',
  '8090': 'the assisted service on the rendezvous host',
  '9440': 'Prism',
  '10250': 'a kubelet',
  '16509': 'libvirt',
  '22623': 'the machine config server',
  '22624': 'the machine config server',
  '50051': 'the pod of a catalog',
};

const PARTIES: Readonly<Partial<Record<Party, string>>> = {
  mirror: 'the mirror registry',
  source: 'a registry on the internet',
  api: 'the API of the cluster',
  'api-int': 'the internal API of the cluster',
  mcs: 'the machine config server',
  apps: 'the routers of the cluster',
  aws: 'AWS',
  vcenter: 'vCenter',
  bmc: 'a management controller',
  proxy: 'the proxy',
  etcd: 'etcd',
  kubelet: 'a kubelet',
  rendezvous: 'the rendezvous host',
  assets: 'the server of Ignition files',
  service: 'a service inside the cluster',
};

const HOST = String.raw`(?:\[[0-9a-fA-F:.]+\]|[\w-]+(?:\.[\w-]+)*|${TAKEN_OUT})`;
/** What programs tell people to read. */
const PAGE = String.raw`(?:www|docs|help|support)\.|access\.redhat\.com\/(?:RegistryAuthentication|solutions|articles)`;
/** The most telling first: a URL has the name that was meant, a socket only its address. */
const NAMING: readonly RegExp[] = [
  // Whoever was asked for a manifest; a request after it went elsewhere.
  new RegExp(
    String.raw`\b(?:(?:reading|uploading) manifest \S+ (?:in|to)|(?:push|put) manifest(?: to)?|layer upload to \S+ in) (?<host>${HOST}(?::\d{1,5})?)(?=[/:])(?!.*https?:\/\/)`,
    'gi',
  ),
  // "docker://name/image" is a name of Docker Hub, and no host; a file has none.
  new RegExp(
    String.raw`(?<!proxy=)\b(?:docker:\/\/(?=(?:localhost|[\w-]+\.[\w.-]+|[\w-]+(?=:\d))(?::\d+)?\/)|(?!docker:|file:|https?:\/\/unix:)[a-z]+:\/\/)(?:(?:0x|#)[0-9a-f]+\/)?(?!${PAGE})(?:[^\s"/@]+@)?(?<host>${HOST}(?::\d{1,5})?)`,
    'gi',
  ),
  new RegExp(
    String.raw`connect(?:ion)? to (?:host |server )?(?<host>${HOST})(?:,)? port:? (?<port>\d{1,5})`,
    'gi',
  ),
  new RegExp(String.raw`\bdial (?:tcp|udp)[46]? (?<host>${HOST}:\d{1,5})`, 'gi'),
  new RegExp(String.raw`(?:\blookup|resolve host(?: address)?:?) [‘'"]?(?<host>${HOST})`, 'gi'),
  new RegExp(
    String.raw`\b(?:pinging (?:(?:container|docker) )?registry|pulling from host) (?!returned\b)(?<host>${HOST}(?::\d+)?)`,
    'gi',
  ),
  new RegExp(
    String.raw`(?:\b(?:push|pull|access denied for|login|copy|image|registry|repository|reference|catalog|creds for|from host|manifest \S+ in) |refers to (?:a )?repository \[)["']?(?<host>${HOST}\.[a-z]{2,}(?::\d+)?)[/\s\]"]`,
    'gi',
  ),
  new RegExp(
    String.raw`(?<host>(?:\d{1,3}(?:\.\d{1,3}){3}|${HOST}\.${HOST})${NO_FILE}:\d{2,5})\b`,
    'gi',
  ),
];

/** No other ends: where something came from that could not be pushed, and where to read or ask. */
const BESIDE =
  /\bunable to push \S+ (?=failed to upload blob)|\berror mirroring image docker:\/\/\S+(?=.*\berror: (?:writing (?:blob|manifest): |uploading )(?!.*https?:\/\/))|\bhttps:\/\/github\.com\/[^\s/]+\/[^\s/]+\/issues\S*/g;

/** The other end of the last request that a line names. */
export function otherEndOf(line: string): OtherEnd | undefined {
  const text = withoutPages(line).replace(BESIDE, '');
  for (const pattern of NAMING) {
    const groups = [...text.matchAll(pattern)].at(-1)?.groups;
    if (!groups?.host) continue;
    const name = groups.port === undefined ? groups.host : `${groups.host}:${groups.port}`;
    const role = roleOf(name, text);
    return { name, text: role === undefined ? name : `${name} (${role})` };
  }
  return ldapServer(text);
}

/** Identity providers name the server they ask only in their configuration. */
function ldapServer(text: string): OtherEnd | undefined {
  const found = /^(?:.*\bprovider "(?<provider>[^"]+)")?.*\bLDAP Result Code \d/.exec(text);
  if (!found) return undefined;
  const { provider } = found.groups ?? {};
  const name = 'the LDAP server';
  return { name, text: provider ? `${name} of the identity provider ${provider}` : name };
}

/** Of those on the internet, where other things are kept than images. */
const SITES =
  /(?:^|\.)(?:openshift|googleapis)\.com(?::\d+)?$|^(?:access|cdn|sso)\.redhat\.com(?::\d+)?$/i;

function roleOf(name: string, text: string): string | undefined {
  const port = /:(\d+)$/.exec(name)?.[1];
  const [party] = partiesOf(text);
  if (party === 'source' && SITES.test(name)) return 'a site on the internet';
  return PORTS[port ?? ''] ?? PARTIES[party ?? 'unknown'];
}
