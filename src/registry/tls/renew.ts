import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readText, readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { caPaths, checkHost, serverPaths } from '../init.ts';
import { type CertificatePaths, loadCertificate } from './certificate-file.ts';
import { createServerCertificate, SERVER_DAYS } from './certificates.ts';

export interface RenewOptions {
  readonly directory: string;
  /** Instead of those the old certificate is for. */
  readonly hosts?: readonly string[] | undefined;
  readonly days?: number | undefined;
  /** Replaces the files by these instead of signing new ones. */
  readonly certificate?: CertificatePaths | undefined;
}

export interface RenewResult {
  readonly certificate: string;
  readonly hosts: readonly string[];
  readonly expiresAt: Date;
}

/** A new certificate for the same names, or the site's own next one. A running registry picks it up. */
export async function renewCertificate(ctx: Context, options: RenewOptions): Promise<RenewResult> {
  options.hosts?.forEach(checkHost);
  const target = serverPaths(options.directory);
  const next = options.certificate
    ? await loadCertificate(options.certificate)
    : await sign(ctx, options, target);
  // The key first: until the certificate follows, the pair does not fit and the old one stays in use.
  await writeFileAtomic(target.key, next.key, { mode: SECRET_MODE });
  await writeFileAtomic(target.certificate, next.cert, { mode: 0o644 });
  const { hosts, expiresAt } = await loadCertificate(target);
  return { certificate: target.certificate, hosts, expiresAt };
}

async function sign(ctx: Context, options: RenewOptions, target: CertificatePaths) {
  const paths = caPaths(options.directory);
  const key = await readTextIfPresent(paths.key);
  if (key === undefined) throw noCa(paths.key);
  const ca = { certificate: await readText(paths.certificate), key };
  const hosts = options.hosts ?? (await loadCertificate(target)).hosts;
  const days = options.days ?? SERVER_DAYS;
  const made = await createServerCertificate(ca, hosts, { now: ctx.now(), days });
  return { cert: Buffer.from(made.certificate), key: Buffer.from(made.key) };
}

function noCa(path: string): AtollError {
  return new AtollError('FILE_UNREADABLE', `Cannot sign a certificate: there is no "${path}"`, {
    hint: "Give the site's own new certificate with --certificate and --key",
    details: { path },
  });
}
