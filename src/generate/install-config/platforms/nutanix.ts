import * as z from 'zod';
import { isDnsName } from '../../dns-name.ts';
import { parseAddress } from '../../ip.ts';
import type { InstallFacts } from '../facts.ts';
import { type Fields, type Given, given, list, part, text, texts, whole, word } from '../fields.ts';
import { error, missing, repeated, type Violation, warning, when } from '../violation.ts';
import { definePlatform } from './platform.ts';
import { buildVips, checkVips, vipFields, vipInput } from './vips.ts';

const port = z.int().min(1).max(65_535).optional();

export const nutanixInput = z.strictObject({
  ...vipInput,
  type: z.literal('nutanix'),
  prismCentral: z.strictObject({ address: given, port, username: given, password: given }),
  prismElement: z.strictObject({ uuid: given, address: given, port, name: given.optional() }),
  subnetUuid: given,
  clusterOsImage: given.optional(),
  preloadedOsImage: given.optional(),
});

const endpoint = part({ address: text, port: whole });
const prismElement = { uuid: word, endpoint, name: text };
const storage = { referenceName: text, uuid: text, name: text };
const identifier = { type: text, uuid: text, name: text };
const pool = {
  cpus: whole,
  coresPerSocket: whole,
  memoryMiB: whole,
  osDisk: part({ diskSizeGiB: whole }),
  bootType: text,
  project: part(identifier),
  categories: list({ key: text, value: text }),
  gpus: list({ type: text, deviceID: whole, name: text }),
  dataDisks: list({
    diskSize: z.union([z.string(), z.number()]).optional(),
    deviceProperties: part({ deviceType: text, adapterType: text, deviceIndex: whole }),
    storageConfig: part({ diskMode: text, storageContainer: part(storage) }),
    dataSourceImage: part(storage),
  }),
  failureDomains: texts,
};
const section = {
  ...vipFields,
  prismCentral: part({ endpoint, username: text, password: text }),
  prismElements: list(prismElement),
  subnetUUIDs: texts,
  clusterOSImage: text,
  preloadedOSImageName: text,
  defaultMachinePlatform: part(pool),
  failureDomains: list({
    name: text,
    prismElement: part(prismElement),
    subnetUUIDs: texts,
    storageContainers: list(storage),
    dataSourceImages: list(storage),
  }),
  prismAPICallTimeout: whole,
};
type Section = Fields<typeof section>;

export const nutanix = definePlatform({
  traits: {
    name: 'nutanix',
    credentialsModes: ['Manual'],
    credentialsRequired: true,
    capabilities: ['CloudCredential', 'CloudControllerManager'],
    ipv4First: true,
  },
  section,
  pool,
  secretsOf: (input: Given<typeof nutanixInput>) => [input.prismCentral.password],
  build,
  check: (own, config, facts) => [
    ...checkVips(PATH, own, config, false),
    ...checkPrism(own),
    ...checkDomains(own),
    ...when((own.prismAPICallTimeout ?? 1) < 1, () =>
      error(`${PATH}.prismAPICallTimeout`, 'it is not positive', 'Use minutes'),
    ),
    ...checkOsImage(own, facts),
  ],
});

const PATH = 'platform.nutanix';
const PRISM_PORT = 9440;

function build(input: Given<typeof nutanixInput>) {
  const { prismCentral, prismElement: element } = input;
  const place = (of: { address: string; port?: number | undefined }) => ({
    address: of.address,
    port: of.port ?? PRISM_PORT,
  });
  const { username, password } = prismCentral;
  return {
    ...buildVips(input),
    prismCentral: { endpoint: place(prismCentral), username, password },
    prismElements: [
      {
        endpoint: place(element),
        uuid: element.uuid,
        ...(element.name ? { name: element.name } : {}),
      },
    ],
    subnetUUIDs: [input.subnetUuid],
    ...(input.clusterOsImage ? { clusterOSImage: input.clusterOsImage } : {}),
    ...(input.preloadedOsImage ? { preloadedOSImageName: input.preloadedOsImage } : {}),
  };
}

/** Where Prism is, how to log in there, and which of its things are used. */
function checkPrism({ prismCentral = {}, prismElements = [], subnetUUIDs = [] }: Section) {
  return [
    ...checkEndpoint(`${PATH}.prismCentral.endpoint`, prismCentral.endpoint),
    ...missing(`${PATH}.prismCentral`, prismCentral, ['username', 'password']),
    ...when(prismElements.length !== 1, () =>
      error(`${PATH}.prismElements`, `it has ${prismElements.length} entries`, 'Name exactly one'),
    ),
    ...prismElements.flatMap(({ uuid, endpoint: place }, index) => [
      ...checkUuid(`${PATH}.prismElements[${index}].uuid`, uuid),
      ...checkEndpoint(`${PATH}.prismElements[${index}].endpoint`, place),
    ]),
    ...when(subnetUUIDs.length === 0, () =>
      error(`${PATH}.subnetUUIDs`, 'it is empty', 'Name the subnet of the machines'),
    ),
    ...checkSubnets(`${PATH}.subnetUUIDs`, subnetUUIDs),
  ];
}

function checkSubnets(path: string, ids: readonly string[]): Violation[] {
  return [
    ...ids.flatMap((id, index) => checkUuid(`${path}[${index}]`, id)),
    ...when(repeated(ids).length > 0, () => error(path, 'one stands there twice', 'Remove one')),
  ];
}

function checkDomains({ failureDomains = [] }: Section): Violation[] {
  return failureDomains.flatMap((domain, index) => {
    const path = `${PATH}.failureDomains[${index}]`;
    return [
      ...missing(path, domain, ['name', 'subnetUUIDs']),
      ...checkSubnets(`${path}.subnetUUIDs`, domain.subnetUUIDs ?? []),
      ...missing(`${path}.prismElement`, domain.prismElement ?? {}, ['uuid']),
    ];
  });
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function checkUuid(path: string, id: string): Violation[] {
  return when(!UUID.test(id), () => error(path, `"${id}" is not a UUID`, 'Copy it from Prism'));
}

function checkEndpoint(
  path: string,
  { address = '', port: at = 0 }: { address?: string | undefined; port?: number | undefined } = {},
): Violation[] {
  return [
    ...when(!isDnsName(address) && !parseAddress(address), () =>
      error(
        `${path}.address`,
        `"${address}" is not a host`,
        'Write a name in lower case or an address',
      ),
    ),
    ...when(at < 1 || at > 65_535, () =>
      error(`${path}.port`, 'it is not a port', `Write ${PRISM_PORT}, as Prism has it`),
    ),
  ];
}

/** Where there is no internet, the image of the operating system must come from inside too. */
function checkOsImage(own: Section, { disconnected }: InstallFacts): Violation[] {
  const isNamed = !!own.clusterOSImage || !!own.preloadedOSImageName;
  return when(disconnected === true && !isNamed, () =>
    warning(
      `${PATH}.clusterOSImage`,
      'the installer would fetch the image from the internet',
      'Name a URL inside, or a preloaded image',
    ),
  );
}
