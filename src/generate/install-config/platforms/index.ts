import * as z from 'zod';
import type { ReleaseVersion } from '../../../openshift/version.ts';
import { type Given, part } from '../fields.ts';
import { aws } from './aws/aws.ts';
import { awsInput } from './aws/input.ts';
import { baremetal, baremetalInput } from './baremetal.ts';
import { external, none, noneInput } from './none.ts';
import { nutanix, nutanixInput } from './nutanix.ts';
import { vsphere, vsphereInput } from './vsphere.ts';

/** The platforms this tool knows. No other file names them all. */
const PLATFORMS = { aws, baremetal, external, none, nutanix, vsphere };
type PlatformName = keyof typeof PLATFORMS;

/** The platform of a cluster as a file or a part of one: a misspelled field is refused. */
export const platformSchema = z.discriminatedUnion('type', [
  awsInput,
  vsphereInput,
  nutanixInput,
  baremetalInput,
  noneInput,
]);
export type PlatformInput = Given<typeof platformSchema>;

/** Those of the installer that this tool does not know: known by name only. */
const unread = z.unknown().optional();
const OTHERS = {
  ...{ azure: unread, gcp: unread, ibmcloud: unread, openstack: unread, ovirt: unread },
  ...{ powervc: unread, powervs: unread },
};

export const platformFields = {
  platform: z.looseObject({
    aws: part(aws.section),
    baremetal: part(baremetal.section),
    external: part(external.section),
    none: part(none.section),
    nutanix: part(nutanix.section),
    vsphere: part(vsphere.section),
    ...OTHERS,
  }),
};

/** The same for a machine pool. */
export const poolFields = {
  aws: part(aws.pool),
  baremetal: part(baremetal.pool),
  nutanix: part(nutanix.pool),
  vsphere: part(vsphere.pool),
  ...OTHERS,
};

export const PLATFORM_NAMES = Object.keys(PLATFORMS);

/** The platform a config names; undefined when it names none, or one this tool does not know. */
export function platformOf(config: { readonly platform: Readonly<Record<string, unknown>> }) {
  const name = PLATFORM_NAMES.find((one) => config.platform[one] !== undefined);
  return name === undefined ? undefined : PLATFORMS[name as PlatformName];
}

export const traitsOf = ({ type }: PlatformInput) => PLATFORMS[type].traits;
export const secretsOf = (input: PlatformInput) => PLATFORMS[input.type].secretsOf(input);

/** The `platform` of an install-config, in the words of the release that reads it. */
export const buildPlatform = (input: PlatformInput, version: ReleaseVersion | undefined) => ({
  [input.type]: PLATFORMS[input.type].build(input, version),
});

export function buildPool(input: PlatformInput, role: 'master' | 'worker') {
  const pool = PLATFORMS[input.type].buildPool(input, role);
  return pool ? { [input.type]: pool } : {};
}
