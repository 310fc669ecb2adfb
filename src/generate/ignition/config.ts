/** Ignition specifications this tool writes. Each has all that the one before it has. */
export const IGNITION_VERSIONS = ['3.2.0', '3.3.0', '3.4.0', '3.5.0'] as const;
export type IgnitionVersion = (typeof IGNITION_VERSIONS)[number];
export const DEFAULT_IGNITION_VERSION: IgnitionVersion = '3.4.0';

export interface Verification {
  /** `sha256-HEX` or `sha512-HEX`. */
  readonly hash: string;
}

export interface IgnitionResource {
  readonly source?: string;
  readonly compression?: string;
  readonly verification?: Verification;
  readonly httpHeaders?: readonly { readonly name: string; readonly value?: string }[];
}

export interface Owner {
  readonly id?: number;
  readonly name?: string;
}

export interface NodeEntry {
  readonly path: string;
  readonly overwrite?: boolean;
  readonly user?: Owner;
  readonly group?: Owner;
}

export interface FileEntry extends NodeEntry {
  readonly mode?: number;
  readonly contents?: IgnitionResource;
  readonly append?: readonly IgnitionResource[];
}

export interface DirectoryEntry extends NodeEntry {
  readonly mode?: number;
}

export interface LinkEntry extends NodeEntry {
  readonly target?: string;
  readonly hard?: boolean;
}

export interface DropIn {
  readonly name: string;
  readonly contents?: string;
}

export interface UnitEntry {
  readonly name: string;
  readonly enabled?: boolean;
  readonly mask?: boolean;
  readonly contents?: string;
  readonly dropins?: readonly DropIn[];
}

export interface UserEntry {
  readonly name: string;
  readonly sshAuthorizedKeys?: readonly string[];
  readonly passwordHash?: string;
  readonly groups?: readonly string[];
  readonly homeDir?: string;
  readonly noCreateHome?: boolean;
  readonly system?: boolean;
  readonly shell?: string;
  readonly uid?: number;
}

export interface GroupEntry {
  readonly name: string;
  readonly gid?: number;
  readonly system?: boolean;
}

export interface DiskEntry {
  readonly device: string;
  readonly wipeTable?: boolean;
  readonly partitions?: readonly Readonly<Record<string, unknown>>[];
}

export interface FilesystemEntry {
  readonly device: string;
  readonly format?: string;
  readonly path?: string;
  readonly label?: string;
  readonly wipeFilesystem?: boolean;
  readonly mountOptions?: readonly string[];
}

export interface Storage {
  readonly disks?: readonly DiskEntry[];
  readonly filesystems?: readonly FilesystemEntry[];
  readonly directories?: readonly DirectoryEntry[];
  readonly files?: readonly FileEntry[];
  readonly links?: readonly LinkEntry[];
}

/** An Ignition config, as far as this tool looks into one. */
export interface IgnitionConfig {
  readonly ignition: {
    readonly version: string;
    readonly config?: {
      readonly merge?: readonly IgnitionResource[];
      readonly replace?: IgnitionResource;
    };
    readonly security?: {
      readonly tls?: { readonly certificateAuthorities?: readonly IgnitionResource[] };
    };
    readonly timeouts?: { readonly httpResponseHeaders?: number; readonly httpTotal?: number };
    readonly proxy?: {
      readonly httpProxy?: string;
      readonly httpsProxy?: string;
      readonly noProxy?: readonly string[];
    };
  };
  readonly kernelArguments?: {
    readonly shouldExist?: readonly string[];
    readonly shouldNotExist?: readonly string[];
  };
  readonly passwd?: {
    readonly users?: readonly UserEntry[];
    readonly groups?: readonly GroupEntry[];
  };
  readonly storage?: Storage;
  readonly systemd?: { readonly units?: readonly UnitEntry[] };
}

/** The bytes themselves, inside the config. */
export function inline(contents: string | Uint8Array): IgnitionResource {
  const base64 = Buffer.from(contents).toString('base64');
  return { source: `data:text/plain;charset=utf-8;base64,${base64}` };
}

export interface FileOptions {
  readonly mode?: number;
  /** Replace a file that the image of the machine already has. True unless said otherwise. */
  readonly overwrite?: boolean;
  readonly user?: Owner;
  readonly group?: Owner;
}

export function textFile(path: string, contents: string, options: FileOptions = {}): FileEntry {
  const { mode = 0o644, overwrite = true, ...owners } = options;
  return { path, overwrite, ...owners, mode, contents: inline(contents) };
}

/** JSON as this tool writes it: two spaces, a newline at the end. */
export function formatIgnition(config: IgnitionConfig): string {
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
