import { labPlatform } from '../lab/lab-platform.ts';
import { awsPlatform } from '../platform/aws/aws-platform.ts';
import { nonePlatform } from '../platform/none/none-platform.ts';
import { nutanixPlatform } from '../platform/nutanix/nutanix-platform.ts';
import type { PlatformKind } from '../platform/platform.ts';
import { vspherePlatform } from '../platform/vsphere/vsphere-platform.ts';

/** Where a site can be. A platform is a folder and a row here; nobody else asks which one it is. */
export const PLATFORMS: readonly PlatformKind[] = [
  labPlatform,
  nonePlatform,
  awsPlatform,
  vspherePlatform,
  nutanixPlatform,
];
