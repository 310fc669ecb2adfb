import { X509Certificate } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Context } from '../core/context.ts';
import { AtollError, messageOf } from '../core/errors.ts';
import { sleep } from '../core/retry.ts';
import type { RegistryFile } from './config-file.ts';
import { loadCertificate } from './tls/certificate-file.ts';

type Listener = RegistryFile['listeners'][number];

const LOOK_MS = 250;
const ANSWER_MS = 5000;

/** Waits until every listener of a registry on this machine says that it serves. */
export async function waitUntilHealthy(
  ctx: Context,
  file: RegistryFile,
  patienceMs: number,
): Promise<void> {
  const until = performance.now() + patienceMs;
  for (const listener of file.listeners) {
    for (let found = await lookAt(listener); found !== undefined; found = await lookAt(listener)) {
      if (performance.now() >= until) throw unhealthy(listener, found);
      await sleep(ctx, LOOK_MS);
    }
  }
}

/** What is wrong, or undefined. */
async function lookAt({ address, tls }: Listener): Promise<string | undefined> {
  const host =
    address.host === '0.0.0.0' ? '127.0.0.1' : address.host === '::' ? '::1' : address.host;
  try {
    const certificate = tls && new X509Certificate((await loadCertificate(tls)).cert);
    const status = await statusOf({ host, port: address.port }, certificate?.fingerprint256);
    return status === 200 ? undefined : `/healthz answers ${status}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** The name we use is not in the certificate; that it is the very one of the file says more. */
function statusOf(
  place: { readonly host: string; readonly port: number },
  fingerprint: string | undefined,
): Promise<number> {
  const send = fingerprint === undefined ? httpRequest : httpsRequest;
  const options = { ...place, path: '/healthz', timeout: ANSWER_MS, agent: false };
  return new Promise((resolve, reject) => {
    const request = send({ ...options, rejectUnauthorized: false }, (response) => {
      const peer = fingerprint && (response.socket as TLSSocket).getPeerX509Certificate();
      response.resume();
      if (peer && peer.fingerprint256 !== fingerprint) reject(new Error('another certificate'));
      else resolve(response.statusCode ?? 0);
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', reject);
    request.end();
  });
}

function unhealthy({ address }: Listener, found: string): AtollError {
  const place = `${address.host}:${address.port}`;
  return new AtollError(
    'REGISTRY_UNAVAILABLE',
    `The registry does not serve at ${place}: ${found}`,
    {
      hint: 'Look into its log',
      details: { place },
    },
  );
}
