import { execFile } from 'node:child_process';
import { peerPath } from './peers.ts';

/** A `[[registry]]` table with its mirrors. */
export const registryTable = (fields: string, ...mirrors: string[]): string =>
  ['[[registry]]', fields, ...mirrors.map((mirror) => `[[registry.mirror]]\n${mirror}`)].join('\n');

/** Skopeo does not take a tag together with a digest; the digest is what counts. */
export const withoutTag = (reference: string) => reference.replace(/:[^:/@]+@/, '@');

const TRIED = /Trying to access \\"(?<reference>[^"\\]+)\\"/;

/** What skopeo asks, in order; an endpoint that it finds blocked is not asked. */
export async function askedBySkopeo(reference: string, conf?: string, home = '/nonexistent') {
  const args = [...(conf ? ['--registries-conf', conf] : []), '--debug', 'inspect', '--raw'];
  const output = await new Promise<string>((resolve) => {
    const command = peerPath('skopeo') ?? 'skopeo';
    const env = { PATH: process.env.PATH, HOME: home };
    execFile(
      command,
      [...args, `docker://${withoutTag(reference)}`],
      { env },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    );
  });
  const found = output.split('\n').flatMap((line) => TRIED.exec(line)?.groups?.reference ?? []);
  const blocked = [...output.matchAll(/registry (\S+) is blocked/g)].map(
    (match) => match[1] ?? '-',
  );
  return found.filter((tried) => !blocked.some((prefix) => tried.startsWith(prefix)));
}
