import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { findConfigFiles } from '../src/rehearse/node/config-files.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';
import {
  fillStore,
  generateConfig,
  holesOf,
  MIRROR_NAME,
  rehearseFolder,
  startMirror,
  type TestMirror,
} from './support/rehearsal.ts';

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const run = promisify(execFile);
const HELM = 'quay.io/openshifttest/helm:3.17.0';
const SERVER = `subjectAltName=DNS:${MIRROR_NAME}`;

describeWithPeers(['openssl'], 'rehearse shakes hands as nodes do', () => {
  let store: Awaited<ReturnType<typeof fillStore>>;
  let mirror: TestMirror;
  let folder: string;

  beforeAll(async () => {
    store = await fillStore((name) => name === HELM);
    mirror = await startMirror(store.root);
    folder = await mirror.folder();
    await authority('ca', []);
    await signed('user', 'ca', 'extendedKeyUsage=clientAuth');
  });
  afterAll(async () => {
    await mirror?.stop();
    await store?.remove();
  });

  const at = (name: string) => join(folder, name);
  const pem = (name: string) => readFile(at(name), 'utf8');
  const openssl = (...args: string[]) => run(peerPath('openssl') ?? 'openssl', args);
  const keyPair = (name: string) => [
    ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', at(`${name}.key`), '-subj', `/CN=${name}`],
  ];

  async function authority(name: string, extensions: readonly string[]): Promise<void> {
    const added = extensions.flatMap((text) => ['-addext', text]);
    const place = ['-days', '90', '-out', at(`${name}.crt`)];
    await openssl('req', '-x509', ...keyPair(name), ...added, ...place);
  }

  async function signed(name: string, by: string, extensions: string): Promise<void> {
    await writeFile(at(`${name}.ext`), extensions);
    await openssl('req', ...keyPair(name), '-out', at(`${name}.csr`));
    await openssl(
      ...['x509', '-req', '-in', at(`${name}.csr`), '-out', at(`${name}.crt`), '-days', '60'],
      ...['-CA', at(`${by}.crt`), '-CAkey', at(`${by}.key`), '-CAcreateserial'],
      ...['-extfile', at(`${name}.ext`)],
    );
  }

  /** The mirror behind another certificate, and what nodes that trust `by` think of it. */
  async function rehearseBehind(
    certificate: string,
    by: string,
    choices: { readonly tls?: TlsOptions; readonly client?: string } = {},
  ) {
    const [host, port] = mirror.plainHost.split(':');
    const [cert, key] = [await pem(`${certificate}.crt`), await pem(`${certificate}.key`)];
    const front = createServer({ cert, key, ...choices.tls }, (socket) => {
      const back = connect(Number(port), host);
      socket.on('error', () => back.destroy()).pipe(back);
      back.on('error', () => socket.destroy()).pipe(socket);
    });
    await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
    onTestFinished(() => void front.close());
    const name = `${MIRROR_NAME}:${(front.address() as { port: number }).port}`;
    const config = await generateConfig({ ...mirror, host: name }, { ca: await pem(`${by}.crt`) });
    if (choices.client !== undefined) {
      const place = join(config, 'certs.d', name);
      await mkdir(place, { recursive: true });
      await writeFile(join(place, 'client.cert'), await pem(`${choices.client}.crt`));
      await writeFile(join(place, 'client.key'), await pem(`${choices.client}.key`));
      expect((await findConfigFiles(config)).certsDir).toBeDefined();
    }
    return await rehearseFolder(config, { images: [HELM] });
  }

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'showing the client certificate of certs.d to a mirror with %s that wants one',
    async (maxVersion) => {
      await signed('server', 'ca', SERVER);
      const ca = await pem('ca.crt');
      const tls = { requestCert: true, rejectUnauthorized: true, ca, maxVersion } as const;

      const known = await rehearseBehind('server', 'ca', { tls, client: 'user' });
      const stranger = await rehearseBehind('server', 'ca', { tls });

      expect(known.rehearsal).toMatchObject({ clean: true, findings: [] });
      expect(holesOf(stranger)).toEqual([{ cause: 'mirror-refused', images: [HELM] }]);
    },
  );

  test('refusing a name that the CA may not sign for, and saying why', async () => {
    await authority('elsewhere', ['nameConstraints=critical,permitted;DNS:elsewhere.test']);
    await signed('stray', 'elsewhere', SERVER);

    const result = await rehearseBehind('stray', 'elsewhere');

    expect(holesOf(result)).toEqual([{ cause: 'certificate-untrusted', images: [HELM] }]);
    expect(result.rehearsal.findings[0]?.evidence).toEqual([
      expect.stringContaining('name constraints'),
    ]);
  });

  test('refusing a wildcard for a part of a name', async () => {
    await signed('partial', 'ca', 'subjectAltName=DNS:mir*.test');

    const result = await rehearseBehind('partial', 'ca');

    expect(holesOf(result)).toEqual([{ cause: 'certificate-name', images: [HELM] }]);
  });
});
