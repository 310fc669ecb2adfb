import { statSync } from 'node:fs';
import type { Server as TlsServer } from 'node:https';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import {
  type CertificatePaths,
  type LoadedCertificate,
  loadCertificate,
} from './certificate-file.ts';

const LOOK_MS = 1000;
const DAY_MS = 86_400_000;
const WARN_DAYS = 30;

/** Keeps a server's certificate that of its files, and warns before it expires. */
export interface CertificateWatch {
  expiresAt(): Date;
  /** Looks now instead of within a second. */
  look(): Promise<void>;
  close(): void;
}

export function watchCertificate(
  ctx: Context,
  server: TlsServer,
  paths: CertificatePaths,
  loaded: LoadedCertificate,
): CertificateWatch {
  let { expiresAt } = loaded;
  let stamp = stampOf(paths);
  let failed = '';
  let warnedAt = 0;

  function warn(): void {
    const now = ctx.now().getTime();
    const message = expiryWarning(paths.certificate, expiresAt, now);
    if (message === undefined || now - warnedAt < DAY_MS) return;
    warnedAt = now;
    const hint = 'Run "atoll registry renew"; the registry picks the new one up by itself';
    ctx.emit({ type: 'warning.raised', message, hint, subject: paths.certificate });
  }

  function use(next: LoadedCertificate): void {
    server.setSecureContext({ cert: next.cert, key: next.key, minVersion: 'TLSv1.2' });
    expiresAt = next.expiresAt;
    warnedAt = 0;
    const message = `Uses a new certificate, valid until ${expiresAt.toISOString()}`;
    ctx.emit({ type: 'note.added', message });
  }

  async function reload(now: string): Promise<void> {
    try {
      use(await loadCertificate(paths));
      stamp = now;
    } catch (error) {
      // The key may not have been written yet; it is a problem only if it stays like this.
      if (now !== failed) {
        failed = now;
        return;
      }
      stamp = now;
      const message = `The old certificate stays in use: ${messageOf(error)}`;
      ctx.emit({ type: 'warning.raised', message, subject: paths.certificate });
    }
  }

  async function look(): Promise<void> {
    const now = stampOf(paths);
    if (now !== stamp) await reload(now);
    warn();
  }

  warn();
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return { expiresAt: () => expiresAt, look, close: () => clearInterval(timer) };
}

function expiryWarning(path: string, expiresAt: Date, now: number): string | undefined {
  const left = expiresAt.getTime() - now;
  if (left > WARN_DAYS * DAY_MS) return undefined;
  const when = expiresAt.toISOString();
  if (left <= 0) return `The certificate "${path}" expired at ${when}: clients refuse it`;
  return `The certificate "${path}" expires in ${Math.ceil(left / DAY_MS)} days, at ${when}`;
}

function stampOf({ certificate, key }: CertificatePaths): string {
  return [certificate, key]
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .map((found) => (found ? `${found.ino} ${found.size} ${found.mtimeMs}` : ''))
    .join(' ');
}
