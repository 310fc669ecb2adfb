import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS, GROUPS } from '../src/cli/commands/index.ts';
import { runCommandLine } from '../src/cli/run.ts';
import { createCa } from '../src/registry/tls/certificates.ts';
import { fakeProcess } from './support/fake-process.ts';
import { LOGIN, startMirror, type TestMirror } from './support/rehearsal.ts';
import { siteFolder } from './support/site.ts';

const NOBODY = 'no-such-host.invalid';

describe('atoll up refuses, before anything moves', () => {
  let upstream: TestMirror;
  let mirror: TestMirror;
  let stranger: string;

  beforeAll(async () => {
    upstream = await startMirror(undefined, { names: ['localhost'] });
    mirror = await startMirror(undefined, { names: ['localhost'] });
    stranger = (await createCa('of somebody else', { now: new Date(), days: 30 })).certificate;
  });
  afterAll(async () => {
    await upstream?.stop();
    await mirror?.stop();
  });

  interface Trouble {
    readonly mirrorHost?: string;
    readonly mirrorPassword?: string;
    readonly mirrorCa?: string;
    readonly upstreamHost?: string;
    readonly upstreamPassword?: string;
    readonly upstreamCa?: string;
  }

  const auth = (password = LOGIN.password) => ({
    auth: Buffer.from(`${LOGIN.username}:${password}`).toString('base64'),
  });

  async function up(trouble: Trouble) {
    const source = `${trouble.upstreamHost ?? 'localhost'}:${upstream.port}`;
    const at = `localhost:${mirror.port}`;
    const { site } = await siteFolder(
      {
        registry: {
          ...{ type: 'existing', host: trouble.mirrorHost ?? 'localhost', port: mirror.port },
          ...{ ca: 'mirror.pem', authfile: 'mirror.json' },
        },
        mirror: { imageSet: 'set.yaml', ca: 'upstream.pem' },
        // They would ask for a release.
        steps: { skip: ['tools'] },
      },
      {
        'mirror.pem': trouble.mirrorCa ?? mirror.ca,
        'upstream.pem': trouble.upstreamCa ?? upstream.ca,
        'mirror.json': JSON.stringify({ auths: { [at]: auth(trouble.mirrorPassword) } }),
        'pull-secret.json': JSON.stringify({
          auths: { [source]: auth(trouble.upstreamPassword) },
        }),
        'set.yaml': `kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  additionalImages:\n  - name: ${source}/up/one:v1\n  - name: ${source}/up/two:v1\n`,
      },
    );
    const own = fakeProcess({ PATH: process.env.PATH ?? '' });
    const argv = ['up', '--site', site];
    const status = await runCommandLine(argv, { commands: COMMANDS, groups: GROUPS }, own);
    return { status, text: own.stdout.text + own.stderr.text };
  }

  test.each<[string, () => Trouble, string, RegExp]>([
    [
      'a mirror whose CA is another',
      () => ({ mirrorCa: stranger }),
      'TLS_UNTRUSTED',
      /certificate/,
    ],
    [
      'a wrong login of the mirror',
      () => ({ mirrorPassword: 'x' }),
      'REGISTRY_DENIED',
      /the password is wrong/,
    ],
    [
      'a mirror whose name nobody knows',
      () => ({ mirrorHost: NOBODY }),
      'NAME_UNRESOLVED',
      /no-such-host/,
    ],
    [
      'a source whose CA is another',
      () => ({ upstreamCa: stranger }),
      'TLS_UNTRUSTED',
      /certificate/,
    ],
    [
      'a wrong login of a source',
      () => ({ upstreamPassword: 'x' }),
      'REGISTRY_DENIED',
      /the password is wrong/,
    ],
    [
      'a source whose name nobody knows',
      () => ({ upstreamHost: NOBODY }),
      'NAME_UNRESOLVED',
      /no-such-host/,
    ],
  ])('%s, once, with exit 4', async (_, trouble, code, words) => {
    const { status, text } = await up(trouble());

    expect({ status, text }).toMatchObject({
      status: 4,
      text: expect.stringContaining(`[${code}]`),
    });
    expect(text).toMatch(words);
    expect(text.match(/cannot reach|401 Unauthorized/gi), text).toHaveLength(1);
    expect(text).not.toMatch(/▶ (?:registry|images)/);
  });
});
