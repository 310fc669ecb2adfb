import { type FileEntry, type FileOptions, textFile } from './config.ts';

/** PEM texts. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** `tls.crt` for everyone, `tls.key` for the owner. */
export function certificateFiles(
  folder: string,
  certificate: ServerCertificate | undefined,
  owner: Pick<FileOptions, 'user' | 'group'> = {},
): FileEntry[] {
  if (!certificate) return [];
  return [
    textFile(`${folder}/tls.crt`, certificate.certificate, { mode: 0o644, ...owner }),
    textFile(`${folder}/tls.key`, certificate.key, { mode: 0o600, ...owner }),
  ];
}
