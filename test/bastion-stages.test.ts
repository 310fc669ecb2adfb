import { access, readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { PLATFORMS } from '../src/cli/platforms.ts';
import { type Context, recordingContext, silentContext } from '../src/core/context.ts';
import { selfCommand } from '../src/core/self.ts';
import { takeDown } from '../src/site/down.ts';
import { type OpenSite, openSite } from '../src/site/open-site.ts';
import { readSite } from '../src/site/read-site.ts';
import { bringUp, planUp, type UpOptions } from '../src/site/up.ts';
import { startAtoll } from './support/atoll-process.ts';
import { bastionSite } from './support/bastion-site.ts';
import { describeWithPeers } from './support/peers.ts';
import { type Sshd, startCutLine, startSshd } from './support/sshd.ts';

const ctx = silentContext();
const PATIENT = { timeout: 30_000 };
const MINUTES = 180_000;

async function withSite<T>(path: string, task: (open: OpenSite) => Promise<T>): Promise<T> {
  const site = await readSite(path, {}, PLATFORMS);
  const open = await openSite(ctx, site, { PATH: process.env.PATH });
  try {
    return await task(open);
  } finally {
    await open.close();
  }
}

const up = (path: string, options: UpOptions, context: Context = ctx) =>
  withSite(path, async (open) => {
    const result = await bringUp(context, open, options);
    if (!result.succeeded) throw result.error;
    return result;
  });

const down = (path: string) => withSite(path, (open) => takeDown(ctx, open, { temporary: false }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

async function listens(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });
}

describeWithPeers(['sshd', 'ssh'], 'stages on a bastion elsewhere', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd.remove());

  test(
    'run there over a line that breaks, leave what later stages need, and go without a trace',
    async () => {
      const line = await startCutLine(sshd.port);
      onTestFinished(line.stop);
      const { site, folder, there, mirrorPort } = await bastionSite(sshd, { port: line.port });
      const at = (...names: readonly string[]) => join(folder, '.atoll', ...names);
      const told = recordingContext();
      let cuts = 0;
      const emit: Context['emit'] = (event) => {
        told.emit(event);
        if (event.type === 'task.started' && event.title.startsWith('Mirroring')) {
          cuts += 1;
          line.cut();
        }
      };

      const { outputs } = await up(site, { to: 'images' }, { ...told, emit });

      expect(outputs.bastion).toMatchObject({ user: sshd.user, system: expect.any(String) });
      expect(outputs.registry).toMatchObject({ host: `localhost:${mirrorPort}` });
      expect(outputs.images).toMatchObject({ images: 1, copied: 1 });
      expect(cuts).toBeGreaterThan(0);
      expect(told.events).toContainEqual(expect.objectContaining({ type: 'image.copied' }));
      expect(await modeOf(join(there, 'pull-secret.json'))).toBe(0o600);
      expect(await readFile(at('registry', 'tls', 'ca.crt'), 'utf8')).toBe(
        await readFile(join(there, '.atoll', 'registry', 'tls', 'ca.crt'), 'utf8'),
      );
      expect(await modeOf(at('secrets', 'mirror.json'))).toBe(0o600);
      expect(await readFile(at('mirror', 'working-dir', 'mirrored.json'), 'utf8')).toContain(
        'up/one',
      );

      const again = await up(site, { to: 'images' });
      expect(again.outcomes).toContainEqual(
        expect.objectContaining({ step: 'images', outcome: 'skipped' }),
      );

      await up(site, { only: ['cleanup'] });
      for (const secret of ['pull-secret.json', '.atoll/secrets/merged.json'])
        await expect(access(join(there, secret))).rejects.toThrow('ENOENT');
      expect(await listens(mirrorPort)).toBe(true);

      await down(site);
      expect(await listens(mirrorPort)).toBe(false);
      await expect(access(there)).rejects.toThrow('ENOENT');
    },
    MINUTES,
  );

  test(
    'go on there when whoever started them is gone, and are joined by the next',
    async () => {
      const { site } = await bastionSite(sshd, { bytesPerSecond: 40_000 });
      const [main = ''] = selfCommand().args;
      const first = startAtoll(main, ['up', '--to', 'images', '--site', site, '--output', 'json']);
      await first.told('Mirroring');
      first.signalGroup('SIGKILL');
      await first.ended;
      const told = recordingContext();

      const { outputs } = await up(site, { to: 'images' }, told);

      expect(told.events).toContainEqual(
        expect.objectContaining({
          type: 'note.added',
          message: expect.stringMatching(/^Joined|meanwhile$/),
        }),
      );
      expect(outputs.images).toMatchObject({ images: 1, copied: 1 });
      await down(site);
    },
    MINUTES,
  );

  test(
    'stop there when they are stopped here, and say why they fail there',
    async () => {
      const { site, there, mirrorPort } = await bastionSite(sshd, { bytesPerSecond: 20_000 });
      await up(site, { to: 'registry' });
      const stop = new AbortController();
      const stopping = silentContext({
        signal: stop.signal,
        emit: (event) => {
          if (event.type === 'task.started' && event.title.startsWith('Mirroring'))
            stop.abort(new Error('enough'));
        },
      });

      await expect(up(site, { only: ['images'] }, stopping)).rejects.toThrow('enough');
      const status = join(there, '.atoll', 'there', 'images', 'status');
      await vi.waitFor(async () => expect(await readFile(status, 'utf8')).toBe('130\n'), PATIENT);

      await down(site);
      await expect(up(site, { only: ['images'] })).rejects.toMatchObject({
        message: expect.stringContaining('127.0.0.1'),
      });
      expect(await listens(mirrorPort)).toBe(false);
      await down(site);
    },
    MINUTES,
  );

  test('are planned as what they are: on another machine, in its folders', async () => {
    const { site, there } = await bastionSite(sshd);

    const planned = await withSite(site, (open) => planUp(ctx, open));

    const does = (id: string) => planned.find((stage) => stage.id === id)?.does.join('\n');
    expect(does('bastion')).toContain(`${sshd.user}@127.0.0.1:${sshd.port}`);
    expect(does('credentials')).toContain(join(there, 'pull-secret.json'));
    expect(does('registry')).toContain(`on the bastion: make a registry in ${there}/.atoll`);
    expect(does('images')).toContain('on the bastion');
  });
});
