import type * as z from 'zod';
import type { KubeObject } from '../cluster/api/object.ts';
import type { ExpectedNode } from '../cluster/csr/judge.ts';
import type { Expectation } from '../cluster/verify/snapshot.ts';
import type { Context } from '../core/context.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import type { JsonObject } from '../core/json.ts';
import type { InstallConfigInput } from '../generate/install-config/build.ts';
import type { Host } from '../host/host.ts';
import type { SshTarget } from '../host/ssh-host.ts';

/** The `platform` of a site file: a type, and what belongs to it. */
export type PlatformSettings = { readonly type: string };

/** Something a site made, so that exactly this can be removed again, newest first. */
export interface SiteResource {
  /** `directory`, `service`, `cloudformation-stack`, … */
  readonly kind: string;
  readonly id: string;
  /** Goes with `down --temporary`: what a private site needs only for the install. */
  readonly temporary: boolean;
  /** Nobody needs it once the cluster is up: the cleanup stage removes it. */
  readonly lifetime?: 'install' | undefined;
}

/** Tells the inventory before the thing exists, so that a crash leaves nothing unknown. */
export type Claim = (resource: SiteResource) => Promise<void>;

/** One thing that was looked at before anything is made. */
export interface PreflightCheck {
  readonly subject: string;
  readonly severity: 'ok' | 'warning' | 'error';
  readonly message: string;
  readonly hint?: string | undefined;
  /** What went wrong, where one code says it. */
  readonly code?: ErrorCode | undefined;
  /** It only keeps machines from booting: what comes before may go on. */
  readonly stops?: 'boot' | undefined;
}

/** What the stages before have found, for the stages in which the platform does the work. */
export interface InstallRun {
  /** Output of each stage that has run, by its name. */
  readonly outputs: Readonly<Record<string, JsonObject>>;
  readonly directory: string;
  readonly log: (line: string) => void;
  readonly claim: Claim;
  /** What a running cluster shall have, and what it is held to. */
  readonly wanted: () => Promise<WantedCluster>;
}

export interface WantedCluster {
  readonly objects: readonly KubeObject[];
  readonly expected: Expectation;
}

/** A machine of the cluster that is known before it boots. */
export interface ClusterMachine extends ExpectedNode {
  readonly role: 'bootstrap' | 'control-plane' | 'worker';
}

/** What a site says about things that a platform may have to make: network, bastion, names, users. */
export interface SiteShape {
  /** Range of the machines. */
  readonly machineNetwork: string;
  readonly credentialsMode?: string | undefined;
  readonly disabledCapabilities: readonly string[];
  /** As releases name it: `x86_64`. */
  readonly architecture: string;
  readonly bastion: {
    readonly ami?: string | undefined;
    readonly user: string;
    /** Public keys that may log in. */
    readonly authorizedKeys: () => Promise<readonly string[]>;
    readonly allowFrom: readonly string[];
  };
  /** Ports of what runs on the bastion. */
  readonly ports: { readonly registry?: number | undefined; readonly proxy?: number | undefined };
  /** The name of the bastion for nodes, as the mirror or the proxy there has it; not an address. */
  readonly mirrorName?: string | undefined;
  /** The manifests of the release, by file name. */
  readonly releaseManifests: (ctx: Context) => Promise<ReadonlyMap<string, string>>;
  /** What its operators ask of a cloud, as YAML. */
  readonly credentialsRequests: (ctx: Context, cloud: string) => Promise<readonly string[]>;
}

/** How to log in to the bastion. Files are absolute paths. */
export interface BastionLogin {
  /** Of one that is there already; without it, this machine or one that is made. */
  readonly address?: string | undefined;
  readonly user: string;
  readonly port?: number | undefined;
  readonly privateKey?: string | undefined;
  readonly jump?: string | undefined;
  readonly knownHosts?: string | undefined;
  /** Public keys, or fingerprints as `SHA256:…`. */
  readonly hostKeys: readonly string[];
}

/** What programs on the bastion need to work with a cloud. */
export interface CloudLogin {
  /** Of a file for its owner alone. */
  readonly text: string;
  /** What has to be in their environment when that file is there. */
  readonly env: (path: string) => Readonly<Record<string, string>>;
}

/** How far a machine came, as its platform sees it. */
export interface MachineState {
  readonly name: string;
  readonly state: 'joined' | 'complete' | 'failed' | 'stopped';
  readonly message?: string | undefined;
}

/** The part of a site that platforms know. They are below `site`, and see no more of it. */
export interface PlatformSite<S extends PlatformSettings = PlatformSettings> {
  readonly name: string;
  /** Name and base domain of the cluster: below it are `api` and `*.apps`. */
  readonly domain: string;
  /** Whether there is no way out. */
  readonly disconnected: boolean;
  readonly settings: S;
  /** Absolute paths of the files that settings name, by setting. */
  readonly files: Readonly<Record<string, string>>;
  readonly bastion: BastionLogin;
  readonly cluster: { readonly controlPlane: number; readonly workers: number };
  readonly shape: SiteShape;
  /** The mirror as nodes name it: `host:port`; undefined where there is none. */
  readonly mirror?: string | undefined;
  readonly paths: {
    readonly state: string;
    /** What the config stage wrote: install-config, files of the nodes, manifests. */
    readonly install: string;
    readonly tools: string;
    readonly registry: string;
    /** What the images stage remembers. */
    readonly mirror: string;
    /** Credentials for upstream and mirror. */
    readonly mergedSecret: string;
  };
}

/** The stages in which the platform does the work. */
export type PlatformStage = 'infrastructure' | 'bastion' | 'cluster' | 'verify';

/** Where a site lives. Every method may run twice: the second time it changes nothing. */
export interface OpenPlatform {
  /** Machines that nobody else lets into the cluster: their certificates are granted by rule. */
  readonly machines?: readonly ClusterMachine[] | undefined;
  /** The cluster that it installs, to be looked at while it comes; undefined where none is real. */
  readonly installs?: { readonly kubeconfig: string; readonly log: string } | undefined;
  /** How to log in to the bootstrap machine, to read its journals; undefined where nobody knows. */
  readonly bootstrap?: SshTarget | undefined;
  /** What comes with the cluster, to be claimed before the installer starts. */
  readonly makes?: readonly SiteResource[] | undefined;
  /** For a bastion elsewhere, on which the installer runs. */
  cloudLogin?(): Promise<CloudLogin>;
  /** How far each machine came, where the platform can see it from outside. */
  machineStates?(): Promise<readonly MachineState[]>;
  /** What it will do in each of its stages, for people. */
  plan(): Readonly<Record<PlatformStage, readonly string[]>>;
  /** Looks, before anything is made, whether it can be made. */
  preflight(ctx: Context): Promise<readonly PreflightCheck[]>;
  /** Makes the network and machines that are not there yet. */
  provision(ctx: Context, claim: Claim): Promise<void>;
  /** The bastion, once it answers. */
  bastion(ctx: Context, claim: Claim): Promise<Host>;
  /** Starts the machines of the cluster, or says how to. */
  boot(ctx: Context, run: InstallRun): Promise<JsonObject>;
  /** Waits until the cluster is up, or says why it is not. */
  watch(ctx: Context, run: InstallRun): Promise<JsonObject>;
  /** Proves that the cluster lives from the mirror. */
  verify(ctx: Context, run: InstallRun): Promise<JsonObject>;
  /** Removes a resource that it made; false when the resource is not one of its own. */
  remove(ctx: Context, resource: SiteResource): Promise<boolean>;
  /** Ends what it keeps open: the connection to the bastion. */
  close(): Promise<void>;
}

/** An environment variable that stands for a field of the site file. */
export interface EnvironmentOverride {
  readonly variable: string;
  readonly path: readonly string[];
  /** What of the variable goes to the field; without it, all. */
  readonly read?: ((text: string, variable: string) => string | number | undefined) | undefined;
}

/** How `atoll init` writes the platform: the fields it needs, and which of them it asks for. */
export interface PlatformInit {
  /** Settings to start from, besides the type. They are valid, so that the file is. */
  readonly example: JsonObject;
  /** Question by field of the example. The field is a flag of `atoll init`, too. */
  readonly asks: Readonly<Record<string, string>>;
}

/** What a platform says besides its code, before a site on it is opened. */
interface PlatformFacts {
  /** The `platform.type` of a site file. */
  readonly name: string;
  /** Where the cluster runs, in a few words. */
  readonly summary: string;
  /** Settings that are paths of files, relative to the site file. */
  readonly files: readonly string[];
  /** Variables that count on this platform, besides those that count everywhere. */
  readonly environment: readonly EnvironmentOverride[];
  readonly init: PlatformInit;
  /** Makes the bastion: only then who logs in there and what runs on it is for the site to say. */
  readonly makesBastion: boolean;
  /** How the embedded registry runs there, where that differs from what it does by itself. */
  readonly mirror: {
    /** The one address it listens at. Its name leads there, whatever DNS says. */
    readonly address?: string | undefined;
    readonly workers?: number | undefined;
    /** Not as a service of the system: it goes with the platform. */
    readonly asProcess?: boolean | undefined;
  };
  /** From what `provision` wrote to {@link MADE_FILE}: files of SHARED_DIR, as step-registry steps name them. */
  readonly sharedFiles?:
    | ((made: string) => Readonly<Record<string, string | undefined>>)
    | undefined;
  /** For a platform that plays machines: what stands for something else, and what is as it would be. */
  readonly standsFor?:
    | { readonly simulated: readonly string[]; readonly real: readonly string[] }
    | undefined;
}

/** What goes into the platform of an install-config besides the settings. */
export interface InstallPlatformFacts {
  /** Content of the files that settings name, by setting. */
  readonly files: Readonly<Record<string, string>>;
  /** What `provision` wrote to {@link MADE_FILE}, once it ran. */
  readonly made?: string | undefined;
}

/** Below the state of a site: what the platform made, for later stages. Only the platform reads it. */
export const MADE_FILE = 'platform.json';

/** Below the state of a site: all that provisioning notes for later stages, wherever those run. */
export const NOTED_FILES = [MADE_FILE, 'credentials-requests.yaml'] as const;

/** What a platform says in an install-config. */
export interface InstallPart extends Pick<InstallConfigInput, 'publish'> {
  /** Undefined while only its stages could know it. */
  readonly platform: InstallConfigInput['platform'] | undefined;
}

/** A platform as the table of platforms holds it. */
export interface PlatformKind extends PlatformFacts {
  readonly settings: z.ZodType<PlatformSettings>;
  /** Its part of the install-config. */
  installPlatform(settings: PlatformSettings, facts: InstallPlatformFacts): InstallPart;
  open(site: PlatformSite): Promise<OpenPlatform>;
}

/** A row as its folder writes it: what it leaves out is empty. */
export interface PlatformRow<S extends PlatformSettings>
  extends Partial<Omit<PlatformFacts, 'name' | 'summary'>> {
  readonly name: string;
  readonly summary: string;
  readonly settings: z.ZodType<S>;
  readonly installPlatform: (settings: S, facts: InstallPlatformFacts) => InstallPart;
  readonly open: (site: PlatformSite<S>) => Promise<OpenPlatform>;
}

/** Makes a row of the table: its own settings are known inside of it, and to nobody else. */
export function definePlatform<S extends PlatformSettings>(row: PlatformRow<S>): PlatformKind {
  return {
    files: [],
    environment: [],
    init: { example: {}, asks: {} },
    makesBastion: false,
    mirror: {},
    ...row,
    installPlatform: (settings, facts) => row.installPlatform(row.settings.parse(settings), facts),
    open: async (site) => row.open({ ...site, settings: row.settings.parse(site.settings) }),
  };
}
