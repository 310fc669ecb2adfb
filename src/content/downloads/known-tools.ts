import { basename } from 'node:path';
import { KERNEL_NAMES } from './boot-images.ts';

/** Where a tool that is not in the payload is published, and its sums. */
export interface ToolAddress {
  readonly url: string;
  readonly sums: string;
  readonly path: string;
}

const CLIENTS = 'https://mirror.openshift.com/pub/openshift-v4';

type Address = (version: string, machine: string) => Omit<ToolAddress, 'path'>;

const openshiftClient =
  (file: string): Address =>
  (version, machine) => {
    const folder = `${CLIENTS}/${KERNEL_NAMES[machine] ?? machine}/clients/ocp/${version}`;
    return { url: `${folder}/${file}`, sums: `${folder}/sha256sum.txt` };
  };

const ADDRESSES: Readonly<Record<string, Address>> = {
  'oc-mirror': openshiftClient('oc-mirror.tar.gz'),
  opm: openshiftClient('opm-linux.tar.gz'),
  helm: (version, machine) => {
    const url = `https://get.helm.sh/helm-v${version}-linux-${machine}.tar.gz`;
    return { url, sums: `${url}.sha256sum` };
  },
};

/** Undefined for what comes out of a release. */
export function addressOf(name: string, version: string, machine: string): ToolAddress | undefined {
  const address = ADDRESSES[name]?.(version.replace(/^v(?=\d)/, ''), machine);
  return address && { ...address, path: `${machine}/${basename(address.url)}` };
}
