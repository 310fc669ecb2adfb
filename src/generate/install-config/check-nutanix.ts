import { isObject } from '../../core/shape.ts';
import { parseAddress } from '../ip.ts';
import { isDnsName } from './dns-name.ts';
import type { InstallConfig } from './schema.ts';
import { error, type Violation, when } from './violation.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PATH = 'platform.nutanix';

/** Where Prism is, how to log in there, and which of its things are used. */
export function checkNutanix(config: InstallConfig): Violation[] {
  const { nutanix } = config.platform;
  if (!nutanix) return [];
  const { prismCentral = {}, prismElements = [], subnetUUIDs = [] } = nutanix;
  return [
    ...checkEndpoint(`${PATH}.prismCentral.endpoint`, prismCentral.endpoint),
    ...['username', 'password']
      .filter((field) => !prismCentral[field])
      .map((field) =>
        error(`${PATH}.prismCentral.${field}`, 'it is missing', 'The installer logs in with it'),
      ),
    ...when(prismElements.length !== 1, () =>
      error(`${PATH}.prismElements`, `it has ${prismElements.length} entries`, 'Name exactly one'),
    ),
    ...prismElements.flatMap(({ uuid, endpoint }, index) => [
      ...checkUuid(`${PATH}.prismElements[${index}].uuid`, uuid),
      ...checkEndpoint(`${PATH}.prismElements[${index}].endpoint`, endpoint),
    ]),
    ...when(subnetUUIDs.length === 0, () =>
      error(`${PATH}.subnetUUIDs`, 'it is empty', 'Name the subnet of the machines'),
    ),
    ...subnetUUIDs.flatMap((id, index) => checkUuid(`${PATH}.subnetUUIDs[${index}]`, id)),
    ...when(new Set(subnetUUIDs).size < subnetUUIDs.length, () =>
      error(`${PATH}.subnetUUIDs`, 'one stands there twice', 'Remove one'),
    ),
  ];
}

function checkUuid(path: string, id: string): Violation[] {
  return when(!UUID.test(id), () => error(path, `"${id}" is not a UUID`, 'Copy it from Prism'));
}

function checkEndpoint(path: string, endpoint: unknown): Violation[] {
  const { address, port } = isObject(endpoint) ? endpoint : {};
  const host = typeof address === 'string' ? address : '';
  const isPort = Number.isInteger(port) && Number(port) >= 1 && Number(port) <= 65_535;
  return [
    ...when(!isDnsName(host) && !parseAddress(host), () =>
      error(
        `${path}.address`,
        `"${host}" is not a host`,
        'Write a name in lower case or an address',
      ),
    ),
    ...when(!isPort, () =>
      error(`${path}.port`, 'it is not a port', 'Write 9440, as Prism has it'),
    ),
  ];
}
