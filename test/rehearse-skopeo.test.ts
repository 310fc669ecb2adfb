import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { registriesConf } from '../src/generate/registries-conf.ts';
import { createCa } from '../src/registry/tls/certificates.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';
import {
  fillStore,
  generateConfig,
  LOGIN,
  type NodeChoices,
  rehearseFolder,
  startMirror,
  type TestMirror,
  usualRules,
} from './support/rehearsal.ts';

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const run = promisify(execFile);
const HELM = 'quay.io/openshifttest/helm:3.17.0';

describeWithPeers(['skopeo'], 'rehearse and skopeo agree', () => {
  let store: Awaited<ReturnType<typeof fillStore>>;
  let mirror: TestMirror;

  beforeAll(async () => {
    store = await fillStore((name) => name === HELM);
    const started = await startMirror(store.root, { names: ['127.0.0.1'] });
    // By address: skopeo knows no hosts file but that of this machine.
    mirror = { ...started, host: `127.0.0.1:${started.port}` };
  });
  afterAll(async () => {
    await mirror?.stop();
    await store?.remove();
  });

  async function rehearsePull(folder: string, image: string): Promise<boolean> {
    const { rehearsal } = await rehearseFolder(folder, { images: [image] }, { depth: 'full' });
    return rehearsal.clean;
  }

  /** The same files, as the container tools read them. */
  async function skopeoPull(folder: string, image: string, choices: NodeChoices): Promise<boolean> {
    const at = (name: string) => join(folder, name);
    const { rules = usualRules(mirror.host), tagRules = usualRules(mirror.host) } = choices;
    await writeFile(at('skopeo.conf'), registriesConf({ rules, tagRules }));
    await mkdir(at('skopeo-certs'));
    await writeFile(join(at('skopeo-certs'), 'ca.crt'), choices.ca ?? mirror.ca);
    const args = [
      ...['--insecure-policy', '--registries-conf', at('skopeo.conf'), 'copy', '--all'],
      ...['--authfile', at('pull-secret.json'), '--src-cert-dir', at('skopeo-certs')],
      ...[`docker://${image}`, `dir:${at('out')}`],
    ];
    return await run(peerPath('skopeo') ?? 'skopeo', args, { timeout: 30_000 }).then(
      () => true,
      () => false,
    );
  }

  async function bothSay(choices: NodeChoices, image = HELM): Promise<[boolean, boolean]> {
    const folder = await generateConfig(mirror, choices);
    return [await rehearsePull(folder, image), await skopeoPull(folder, image, choices)];
  }

  test('that a good configuration pulls', async () => {
    expect(await bothSay({})).toEqual([true, true]);
  });

  test('that holes in the configuration stop it', async () => {
    const { certificate } = await createCa('another CA', { now: new Date(), days: 30 });

    expect(await bothSay({ ca: certificate })).toEqual([false, false]);
    expect(await bothSay({ login: undefined })).toEqual([false, false]);
    expect(await bothSay({ login: { ...LOGIN, password: 'another-one' } })).toEqual([false, false]);
    expect(await bothSay({ tagRules: [] })).toEqual([false, false]);
    expect(await bothSay({}, 'quay.io/openshifttest/helm:9.9.9')).toEqual([false, false]);
  });
});
