import { AtollError } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import type { Platform } from '../../../oci/descriptor.ts';
import { formatPlatform } from '../../../oci/platform.ts';
import type { Payload } from '../payload/payload.ts';

/** Where a program is in a payload. */
export interface ToolPlace {
  readonly component: string;
  readonly path: string;
  /** Which image of the component; any where the file is the same in all. */
  readonly platform: Platform | 'any';
}

/** A program that comes with a release. */
export interface Tool {
  readonly name: string;
  /** Whether the release image and version are written into it. */
  readonly pinsImage: boolean;
  readonly pinsVersion: boolean;
  /** The component with it for the payload's own architecture. */
  readonly own: { readonly component: string; readonly path: string };
  /** The component with it for other systems. */
  readonly artifacts?: string;
}

const TOOLS: readonly Tool[] = [
  {
    name: 'openshift-install',
    pinsImage: true,
    pinsVersion: true,
    own: { component: 'installer', path: 'usr/bin/openshift-install' },
    artifacts: 'installer-artifacts',
  },
  {
    name: 'oc',
    pinsImage: false,
    pinsVersion: true,
    own: { component: 'cli', path: 'usr/bin/oc' },
    artifacts: 'cli-artifacts',
  },
  {
    name: 'openshift-baremetal-install',
    pinsImage: true,
    pinsVersion: true,
    own: { component: 'baremetal-installer', path: 'usr/bin/openshift-install' },
  },
  {
    name: 'ccoctl',
    pinsImage: false,
    pinsVersion: false,
    own: { component: 'cloud-credential-operator', path: 'usr/bin/ccoctl' },
  },
];

export const DEFAULT_TOOLS: readonly string[] = ['openshift-install', 'oc'];

export function toolOf(name: string): Tool {
  const found = TOOLS.find((tool) => tool.name === name);
  if (found) return found;
  const names = TOOLS.map((tool) => tool.name);
  const near = nearest(name, names);
  throw new AtollError('USAGE', `Cannot extract "${name}": a release has no such tool`, {
    hint: near ? `Did you mean "${near}"?` : `Choose from ${names.join(', ')}`,
  });
}

/** Where the tool for this system is in this payload. */
export function placeOf(tool: Tool, payload: Payload, platform: Platform): ToolPlace {
  const { os, architecture } = platform;
  const isOwn =
    os === 'linux' && [architecture, 'multi'].some((each) => each === payload.architecture);
  if (isOwn) return { ...tool.own, platform };
  const folder = folderFor(platform);
  if (!tool.artifacts || !folder || (os === 'windows' && tool.name !== 'oc')) {
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot extract "${tool.name}" for ${formatPlatform(platform)}: release ${payload.tag} has none`,
      { hint: 'Choose another system with --platform OS/ARCH' },
    );
  }
  const file = os === 'windows' ? `${tool.name}.exe` : tool.name;
  const path = `usr/share/openshift/${folder}/${file}`;
  return { component: tool.artifacts, path, platform: 'any' };
}

function folderFor({ os, architecture }: Platform): string | undefined {
  if (os === 'linux') return `linux_${architecture}`;
  if (os === 'darwin') return architecture === 'arm64' ? 'mac_arm64' : 'mac';
  return os === 'windows' ? 'windows' : undefined;
}

const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows' };
const MACHINES: Readonly<Record<string, string>> = { x64: 'amd64', ppc64: 'ppc64le' };

/** The system this process runs on, in the words of images. */
export function thisPlatform(): Platform {
  return {
    os: SYSTEMS[process.platform] ?? process.platform,
    architecture: MACHINES[process.arch] ?? process.arch,
  };
}
