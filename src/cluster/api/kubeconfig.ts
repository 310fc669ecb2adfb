import { X509Certificate } from 'node:crypto';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { AtollError, messageOf } from '../../core/errors.ts';
import { exists, readBytes, readText, readTextIfPresent } from '../../core/files.ts';
import { registerSecret } from '../../core/redact.ts';
import { inputError, parseYamlInput } from '../../core/yaml-input.ts';

/** How a cluster is reached and who we are there. Never printed. */
export interface ClusterAccess {
  /** The kubeconfig it is from, and the context that was chosen. */
  readonly file: string;
  readonly context: string;
  readonly server: URL;
  /** PEM; undefined: the roots of this machine. */
  readonly ca: string | undefined;
  readonly verify: boolean;
  readonly serverName: string | undefined;
  readonly proxy: URL | undefined;
  readonly token: string | undefined;
  readonly client: { readonly cert: string; readonly key: string } | undefined;
}

// Other fields are for other programs.
const clusterFields = z.object({
  server: z.url({ protocol: /^https?$/ }),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
  'proxy-url': z.string().optional(),
});
const userFields = z.object({
  token: z.string().optional(),
  tokenFile: z.string().optional(),
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.string().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.string().optional(),
  exec: z.object({ command: z.string() }).optional(),
  'auth-provider': z.object({ name: z.string() }).optional(),
  username: z.string().optional(),
  as: z.string().optional(),
});
const kubeconfigSchema = z.object({
  'current-context': z.string().optional(),
  contexts: z
    .array(
      z.object({
        name: z.string(),
        context: z.object({ cluster: z.string(), user: z.string().optional() }),
      }),
    )
    .default([]),
  clusters: z.array(z.object({ name: z.string(), cluster: clusterFields })).default([]),
  users: z.array(z.object({ name: z.string(), user: userFields.default({}) })).default([]),
});

type Kubeconfig = z.output<typeof kubeconfigSchema>;
type UserFields = z.output<typeof userFields>;
type Env = Readonly<Record<string, string | undefined>>;

/** The kubeconfig that `oc` would take: `KUBECONFIG`, which may be a list, or the one in the home folder. */
export function usualKubeconfig(env: Env): string {
  const named = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  return named.length > 0 ? named.join(delimiter) : join(env.HOME ?? homedir(), '.kube', 'config');
}

/** Reads who and where from a kubeconfig. What cannot work is told here, before anything is asked. */
export async function readKubeconfig(
  file: string,
  options: { readonly context?: string | undefined; readonly now: Date },
): Promise<ClusterAccess> {
  const config = await parseFiles(file);
  const context = options.context ?? config['current-context'] ?? '';
  const chosen = named(config.contexts, context, file, 'context').context;
  const { cluster } = named(config.clusters, chosen.cluster, file, 'cluster');
  const user = chosen.user ? named(config.users, chosen.user, file, 'user').user : {};
  refuseForeign(user, file);
  return {
    file,
    context,
    server: new URL(cluster.server),
    ca: await textOf(file, cluster['certificate-authority-data'], cluster['certificate-authority']),
    verify: !cluster['insecure-skip-tls-verify'],
    serverName: cluster['tls-server-name'],
    proxy: proxyOf(cluster['proxy-url'], file),
    token: await tokenOf(user, file),
    client: await clientOf(user, file, options.now),
  };
}

/** Of several files the first that names something counts, as `oc` has it; files that are not there do not. */
async function parseFiles(list: string): Promise<Kubeconfig> {
  const files = list.split(delimiter).filter((path) => path !== '');
  const [only = list] = files;
  if (files.length < 2) return await parseFile(only);
  const there = await Promise.all(files.map(exists));
  const present = files.filter((_, index) => there[index]);
  if (present.length === 0) return await parseFile(only);
  const configs = await Promise.all(
    present.map(async (file) => absolute(await parseFile(file), file)),
  );
  return {
    'current-context': configs.map((one) => one['current-context']).find((name) => name),
    contexts: configs.flatMap((one) => one.contexts),
    clusters: configs.flatMap((one) => one.clusters),
    users: configs.flatMap((one) => one.users),
  };
}

/** Paths in a kubeconfig start at its own folder, wherever it is read together with others. */
function absolute(config: Kubeconfig, file: string): Kubeconfig {
  const at = (path: string | undefined) => path && resolve(dirname(file), path);
  return {
    ...config,
    clusters: config.clusters.map(({ name, cluster }) => ({
      name,
      cluster: { ...cluster, 'certificate-authority': at(cluster['certificate-authority']) },
    })),
    users: config.users.map(({ name, user }) => ({
      name,
      user: {
        ...user,
        tokenFile: at(user.tokenFile),
        'client-certificate': at(user['client-certificate']),
        'client-key': at(user['client-key']),
      },
    })),
  };
}

async function parseFile(file: string): Promise<Kubeconfig> {
  const text = await readTextIfPresent(file);
  if (text === undefined) {
    throw new AtollError('FILE_UNREADABLE', `Cannot find a kubeconfig at "${file}"`, {
      hint: 'Name one with --kubeconfig FILE; the installer leaves it in auth/kubeconfig',
      details: { path: file },
    });
  }
  const parsed = parseYamlInput(kubeconfigSchema, text, { nullIsAbsent: true });
  if (parsed.value === undefined) throw inputError(file, parsed.problems);
  return parsed.value;
}

function named<T extends { readonly name: string }>(
  list: readonly T[],
  name: string,
  file: string,
  what: string,
): T {
  const found = list.find((one) => one.name === name);
  if (found) return found;
  const known = list.map((one) => one.name).join(', ') || 'none';
  throw new AtollError('INPUT_INVALID', `Cannot use "${file}": it has no ${what} "${name}"`, {
    hint: `There is ${known}; choose with --context`,
    details: { path: file },
  });
}

/** Ways to log in that would start a program, or that no cluster takes any more. */
function refuseForeign(user: UserFields, file: string): void {
  const found = user.exec
    ? `it starts "${user.exec.command}" to log in`
    : user['auth-provider']
      ? `it logs in by "${user['auth-provider'].name}"`
      : user.username !== undefined
        ? 'it logs in with a password'
        : user.as !== undefined
          ? `it acts as "${user.as}"`
          : undefined;
  if (found === undefined) return;
  throw new AtollError('INPUT_INVALID', `Cannot use "${file}": ${found}`, {
    hint: 'Use a kubeconfig with a token or a client certificate, such as auth/kubeconfig of the installer',
    details: { path: file },
  });
}

async function textOf(
  file: string,
  data: string | undefined,
  path: string | undefined,
): Promise<string | undefined> {
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  return path === undefined ? undefined : await readText(resolve(dirname(file), path));
}

async function tokenOf(user: UserFields, file: string): Promise<string | undefined> {
  const { token, tokenFile } = user;
  const text = tokenFile ? `${await readBytes(resolve(dirname(file), tokenFile))}` : token;
  if (text) registerSecret(text.trim());
  return text?.trim() || undefined;
}

async function clientOf(
  user: UserFields,
  file: string,
  now: Date,
): Promise<ClusterAccess['client']> {
  const cert = await textOf(file, user['client-certificate-data'], user['client-certificate']);
  const key = await textOf(file, user['client-key-data'], user['client-key']);
  if (cert === undefined || key === undefined) return undefined;
  registerSecret(key.trim());
  const until = new Date(certificate(cert, file).validTo);
  if (until >= now) return { cert, key };
  throw new AtollError(
    'CLUSTER_DENIED',
    `Cannot use "${file}": its client certificate expired on ${until.toISOString()}`,
    {
      hint: 'Use a newer kubeconfig: "oc login", or a copy from a control plane node',
      details: { path: file, expired: until.toISOString() },
    },
  );
}

function certificate(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot use "${file}": its client certificate is none: ${messageOf(cause)}`,
      { hint: 'Copy the file again', details: { path: file }, cause },
    );
  }
}

function proxyOf(text: string | undefined, file: string): URL | undefined {
  if (text === undefined || text === '') return undefined;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy && /^https?:$/.test(proxy.protocol)) return proxy;
  // Not the value itself: it may hold a password.
  throw new AtollError('INPUT_INVALID', `Cannot use "${file}": its proxy-url is no http(s) URL`, {
    hint: 'Write something like "http://proxy.example.com:3128"',
    details: { path: file },
  });
}
