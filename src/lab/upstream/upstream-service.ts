import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { readText, readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { registerPullSecret } from '../../core/redact.ts';
import { NO_RETRY } from '../../core/retry.ts';
import { inputError, parseYamlInput } from '../../core/yaml-input.ts';
import type { Reference } from '../../oci/reference.ts';
import { generatePassword } from '../../registry/auth/passwords.ts';
import { CONFIG_NAME } from '../../registry/config-file.ts';
import { initRegistry } from '../../registry/init.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { Registries } from '../../remote/registries.ts';
import { startService } from '../../site/service.ts';
import { waitForImageRegistry } from '../../site/wait-for-image-registry.ts';
import { freePort } from '../free-port.ts';
import type { LabPaths } from '../lab-paths.ts';
import { makeUpstream } from './upstream.ts';

const USER = 'lab';
const made = z.object({ port: z.number(), auth: z.string(), password: z.string() });

export interface LabUpstream {
  readonly port: number;
  /** Pull secret for it. */
  readonly auth: string;
}

export const upstreamCa = (upstream: string): string => registryOf(upstream, 'tls', 'ca.crt');

const registryOf = (upstream: string, ...names: readonly string[]) =>
  join(upstream, 'registry', ...names);

/** Runs the registry that stands for the internet, and fills it unless that is done. */
export async function runUpstream(
  ctx: Context,
  { upstream, upstreamPidFile }: Pick<LabPaths, 'upstream' | 'upstreamPidFile'>,
): Promise<LabUpstream> {
  const registry = await ensureRegistry(ctx, upstream);
  const serve = ['registry', 'serve', '--dir', registryOf(upstream), '--workers', '1'];
  await startService(ctx, {
    pidFile: upstreamPidFile,
    logFile: join(upstream, 'registry.log'),
    args: [...serve, '--output', 'json'],
  });
  await withUpstream(upstream, registry, async (registries) => {
    const host = `127.0.0.1:${registry.port}`;
    await waitForImageRegistry(ctx, registries, host);
    const made = join(upstream, 'made');
    if ((await readTextIfPresent(made)) !== undefined) return;
    // Each upstream host is a path of its own in the one registry.
    await makeUpstream(ctx, upstream, (reference: Reference) =>
      registries.repository(host, `${reference.registry}/${reference.repository}`),
    );
    await writeFileAtomic(made, 'yes\n');
  });
  return registry;
}

/** Port and password are on disk before the registry knows them: a crash must not lose them. */
async function ensureRegistry(ctx: Context, upstream: string): Promise<LabUpstream> {
  const file = join(upstream, 'registry.json');
  if ((await readTextIfPresent(file)) === undefined) {
    await writeFileAtomic(file, `${JSON.stringify(await newRegistry())}\n`, { mode: SECRET_MODE });
  }
  const { value: registry, problems } = parseYamlInput(made, await readText(file));
  if (registry === undefined) throw inputError(file, problems);
  registerPullSecret(registry.auth);
  if ((await readTextIfPresent(registryOf(upstream, CONFIG_NAME))) === undefined) {
    await initRegistry(ctx, {
      directory: registryOf(upstream),
      hosts: ['127.0.0.1', 'localhost'],
      listen: '127.0.0.1',
      port: registry.port,
      user: USER,
      password: registry.password,
    });
  }
  return registry;
}

async function newRegistry(): Promise<LabUpstream & { readonly password: string }> {
  const port = await freePort();
  const password = generatePassword();
  const credential = { auth: Buffer.from(`${USER}:${password}`).toString('base64') };
  const auth = `${JSON.stringify({ auths: { [`127.0.0.1:${port}`]: credential } })}\n`;
  return { port, auth, password };
}

async function withUpstream(
  upstream: string,
  { auth }: LabUpstream,
  task: (registries: Registries) => Promise<void>,
): Promise<void> {
  const authfile = join(upstream, 'auth.json');
  const registriesConf = join(upstream, 'registries.conf');
  await writeFileAtomic(authfile, auth, { mode: SECRET_MODE });
  await writeFileAtomic(registriesConf, '');
  const registries = createRegistries({
    authfile,
    registriesConf,
    ca: [upstreamCa(upstream)],
    env: {},
    tuning: { retry: NO_RETRY },
  });
  try {
    await task(registries);
  } finally {
    await registries.close();
  }
}
