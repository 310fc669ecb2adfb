import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { describeWithPeers } from './support/peers.ts';
import { UPSTREAM } from './support/upstream.ts';

const DIGEST = 'sha256:d32a31796b2fe3e1c058a43d90f0345664bbf113dfab6f3cf17115707705d8d0';
const SIGNATURE = `${DIGEST.replace(':', '-')}.sig`;
const RELEASES = 'openshift-release-dev/ocp-release';
const SET =
  'mirror: {platform: {channels: [{name: stable-4.18, minVersion: 4.18.1, maxVersion: 4.18.1}]}}\n';

describeWithPeers(['docker-registry'], 'a registries.d folder', () => {
  let lab: MirrorLab;
  let mirror: EmbeddedRegistry;
  const folderOf = async (docker: object) => {
    const folder = await lab.folder('registries.d');
    await writeFile(join(folder, 'site.yaml'), JSON.stringify({ docker }));
    return folder;
  };
  const sync = async (path: string, ...flags: string[]) => {
    const to = `docker://${mirror.host}/${path}`;
    const argv = ['-c', await lab.imageSet(SET), '--to', to, '--dir', await lab.folder('dir')];
    return await lab.atoll('sync', ...argv, ...flags);
  };
  const signatureIn = (path: string) =>
    lab.digestAt(mirror.host, `${path}/openshift/release-images`, SIGNATURE);

  beforeAll(async () => {
    [lab, mirror] = await Promise.all([startMirrorLab(), startEmbeddedRegistry()]);
  });
  afterAll(async () => {
    await Promise.all([lab?.stop(), mirror?.stop()]);
  });

  test('says where nobody looks for signatures beside images while mirroring', async () => {
    const off = await folderOf({ [`quay.io/${RELEASES}`]: { 'use-sigstore-attachments': false } });

    const without = await sync('without', ...lab.collectFlags, '--registries.d', off);
    const usual = await sync('usual', ...lab.collectFlags);

    expect([without.status, usual.status]).toEqual([0, 0]);
    expect(await signatureIn('without')).toBeUndefined();
    expect(await signatureIn('usual')).toBeDefined();
  });

  test('says where GPG signatures of a release lie, as sync and mirror release verify them', async () => {
    const lookaside = await lab.folder('lookaside');
    const place = join(lookaside, `${RELEASES}@${DIGEST.replace(':', '=')}`);
    await mkdir(join(lookaside, 'openshift-release-dev'), { recursive: true });
    await cp(join(UPSTREAM, 'signatures', DIGEST.replace(':', '=')), place, { recursive: true });
    const folder = await folderOf({ 'quay.io': { lookaside: `file://${lookaside}` } });
    const empty = `file://${await lab.folder('empty')}`;
    // The last of a flag that may be repeated does not replace the others.
    const flags = lab.collectFlags.map((flag) =>
      flag === `file://${join(UPSTREAM, 'signatures')}` ? empty : flag,
    );
    const release = (...more: string[]) => [
      ...['release', '--from', `quay.io/${RELEASES}:4.18.1-x86_64`],
      ...['--to', `${mirror.host}/release`, ...flags, ...more],
    ];

    await expect(sync('refused', ...flags)).rejects.toMatchObject({ code: 'SIGNATURE_MISSING' });
    expect((await sync('lookaside', ...flags, '--registries.d', folder)).status).toBe(0);
    await expect(lab.atoll(...release())).rejects.toMatchObject({ code: 'SIGNATURE_MISSING' });
    expect((await lab.atoll(...release('--registries-d', folder))).status).toBe(0);
  });
});
