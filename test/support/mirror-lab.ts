import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIRROR_COMMANDS } from '../../src/cli/commands/mirror/index.ts';
import { parseArguments } from '../../src/cli/parse.ts';
import { createStyle } from '../../src/cli/style.ts';
import { once } from '../../src/core/bytes.ts';
import { recordingContext, silentContext } from '../../src/core/context.ts';
import type { AtollEvent } from '../../src/core/events.ts';
import { registriesConf } from '../../src/generate/registries-conf.ts';
import { createRegistries } from '../../src/remote/create-registries.ts';
import { type DockerRegistry, startDockerRegistry } from './docker-registry.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './embedded-registry.ts';
import { publishUpstream, UPSTREAM } from './upstream.ts';

const SET = { commands: MIRROR_COMMANDS, groups: { mirror: 'Mirror' } };
/** Signatures of the fixture are valid only after they were made. */
const AFTER = new Date('2027-06-01T00:00:00Z');
const HOSTS = ['quay.io', 'registry.redhat.io', 'registry.ci.openshift.org'];

export interface LabRun {
  readonly status: number;
  /** What `--output json` would print. */
  readonly result: unknown;
  readonly text: string;
  readonly events: readonly AtollEvent[];
}

export interface MirrorLab {
  readonly upstream: DockerRegistry;
  readonly root: string;
  /** A `registries.conf` that leads the upstream's names to the registry on loopback. */
  readonly registriesConf: string;
  /** Flags that every collecting command needs here. */
  readonly collectFlags: readonly string[];
  readonly registryFlags: readonly string[];
  /** A fresh folder below the lab's. */
  readonly folder: (name: string) => Promise<string>;
  /** Writes an image set and returns its path. */
  readonly imageSet: (mirror: string, kind?: string) => Promise<string>;
  /** Runs `atoll mirror …` in this process; rejects where the command would print an error. */
  readonly atoll: (...argv: string[]) => Promise<LabRun>;
  /** What a tag or digest is at a registry, or undefined. */
  readonly digestAt: (
    host: string,
    repository: string,
    name: string,
  ) => Promise<string | undefined>;
  readonly stop: () => Promise<void>;
}

/** The fixture upstream in a real registry, under its own names, and the mirror commands. */
export async function startMirrorLab(
  wanted: (reference: string) => boolean = isUsual,
): Promise<MirrorLab> {
  const root = await mkdtemp(join(tmpdir(), 'atoll-mirror-lab-'));
  const upstream = await startDockerRegistry();
  await publishUpstream(upstream.url, {}, wanted);
  const conf = join(root, 'registries.conf');
  const rules = HOSTS.map((source) => ({ source, mirrors: [upstream.host] }));
  await writeFile(
    conf,
    registriesConf({ rules, tagRules: rules, blocked: HOSTS, insecure: [upstream.host] }),
  );
  const registryFlags = ['--insecure', '--registries-conf', conf];
  const collectFlags = [
    ...registryFlags,
    ...['--graph', join(UPSTREAM, 'graph-stable-4.18-amd64.json')],
    ...['--signature-store', `file://${join(UPSTREAM, 'signatures')}`],
    ...['--release-key', join(UPSTREAM, 'release-key.asc')],
  ];
  const registries = createRegistries({ insecure: true, env: {} });
  let files = 0;
  return {
    upstream,
    root,
    registriesConf: conf,
    collectFlags,
    registryFlags,
    async folder(name) {
      files += 1;
      const path = join(root, `${name}-${files}`);
      await mkdir(path);
      return path;
    },
    async imageSet(mirror, kind = 'ImageSetConfiguration') {
      files += 1;
      const path = join(root, `imageset-${files}.yaml`);
      const head = `apiVersion: mirror.openshift.io/v2alpha1\nkind: ${kind}\n`;
      await writeFile(path, `${head}${mirror}`);
      return path;
    },
    atoll: runMirror,
    async digestAt(host, repository, name) {
      return (await registries.repository(host, repository).resolve(silentContext(), name))?.digest;
    },
    async stop() {
      await registries.close();
      await upstream.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

export interface MirrorsInLab {
  readonly lab: MirrorLab;
  readonly docker: DockerRegistry;
  readonly embedded: EmbeddedRegistry;
  readonly stopMirrors: () => Promise<void>;
}

/** The lab with an empty mirror of each kind: one of others, and our own. */
export async function startMirrors(): Promise<MirrorsInLab> {
  const [lab, docker, embedded] = await Promise.all([
    startMirrorLab(),
    startDockerRegistry(),
    startEmbeddedRegistry(),
  ]);
  const stopMirrors = async () => {
    await Promise.all([lab.stop(), docker.stop(), embedded.stop()]);
  };
  return { lab, docker, embedded, stopMirrors };
}

/** Without what only a few tests look at. */
const isUsual = (reference: string) =>
  !/^registry\.ci\.|aarch64|cert-manager|odf|ocs|mcg/.test(reference) || reference.endsWith('.sig');

async function runMirror(...argv: string[]): Promise<LabRun> {
  const parsed = parseArguments(['mirror', ...argv], SET);
  if (parsed.kind !== 'run') throw new Error(parsed.text);
  const terminal = {
    env: {},
    interactive: false,
    confirm: async () => parsed.globals.yes,
    ask: async (_question: string, fallback: string) => fallback,
    readStdin: async () => '',
    stdin: () => once(Buffer.alloc(0)),
    isPiped: false,
  };
  const ctx = recordingContext({ now: () => AFTER });
  const { command, args, options, given } = parsed;
  const result = await command.run(ctx, { args, options, given, terminal });
  const text = command.text?.(result, createStyle(false)) ?? '';
  return { status: command.exitCode(result), result, text, events: ctx.events };
}
