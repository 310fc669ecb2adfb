import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { recordingContext, silentContext } from '../src/core/context.ts';
import type { Host } from '../src/host/host.ts';
import { fingerprintOf } from '../src/host/ssh/pin.ts';
import { openSshHost, type SshTarget, sshHost } from '../src/host/ssh-host.ts';
import { processesWith } from './support/atoll-process.ts';
import { describeWithPeers } from './support/peers.ts';
import { keygen, type Sshd, startCutLine, startSshd } from './support/sshd.ts';
import { hostSuite } from './support/suites/host-suite.ts';
import { tempDir } from './support/temp.ts';

const ctx = silentContext();
const QUICK = { attempts: 1 };
const PATIENT = { timeout: 20_000 };

describeWithPeers(['sshd', 'ssh'], 'a host over SSH', () => {
  let sshd: Sshd;
  let host: Host;

  beforeAll(async () => {
    sshd = await startSshd();
    host = await openSshHost(ctx, target());
  });
  afterAll(async () => {
    await host.close();
    await sshd.remove();
  });

  function target(change: Partial<SshTarget> = {}): SshTarget {
    const { port, user, identity, hostKeys } = sshd;
    return {
      address: '127.0.0.1',
      port,
      user,
      identity,
      pin: { keys: hostKeys },
      config: '/dev/null',
      ...change,
    };
  }

  async function open(change: Partial<SshTarget> = {}): Promise<Host> {
    const opened = await openSshHost(ctx, target(change), QUICK);
    onTestFinished(() => opened.close());
    return opened;
  }

  hostSuite('sshHost', () => host);

  test('shares one connection, in a folder of its own that goes with it', async () => {
    const line = await startCutLine(sshd.port);
    onTestFinished(line.stop);
    const shared = await open({ port: line.port });

    await Promise.all([1, 2, 3].map(() => shared.run(ctx, 'true', [])));
    const sockets = processesWith(`-p ${line.port}`);
    await shared.close();

    expect(line.connections()).toBe(1);
    expect(sockets.join()).toMatch(/-S \S*atoll-ssh-\w+\/c /);
    expect(processesWith(`-p ${line.port}`)).toEqual([]);
  });

  test('is known by its name, and leaves no folder behind', async () => {
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith('atoll-ssh-'));
    const opened = await open();
    expect(opened.name).toBe(`${sshd.user}@127.0.0.1`);

    await opened.close();

    const after = (await readdir(tmpdir())).filter((name) => name.startsWith('atoll-ssh-'));
    expect(after.length).toBeLessThanOrEqual(before.length);
  });

  test('connects again when the connection was lost', async () => {
    const line = await startCutLine(sshd.port);
    onTestFinished(line.stop);
    const shaky = await open({ port: line.port });
    line.cut();

    const { status } = await vi.waitFor(() => shaky.run(ctx, 'true', []), PATIENT);

    expect(status).toBe(0);
  });

  test('says that the connection was lost while a program ran', async () => {
    const line = await startCutLine(sshd.port);
    onTestFinished(line.stop);
    const shaky = await open({ port: line.port });

    const running = shaky.run(ctx, 'sh', ['-c', 'echo on; exec sleep 5'], {
      onLine: () => line.cut(),
    });

    await expect(running).rejects.toMatchObject({ code: 'HOST_DISCONNECTED' });
  });

  test('put goes on where the line was cut, and get, too', async () => {
    const folder = await tempDir();
    const bytes = randomBytes(6 * 1024 ** 2);
    await writeFile(join(folder, 'from'), bytes);
    const line = await startCutLine(sshd.port);
    onTestFinished(line.stop);
    const shaky = await open({ port: line.port });
    const told = recordingContext();

    line.cutAfter(4 * 1024 ** 2);
    await shaky.put(told, join(folder, 'to'), { file: join(folder, 'from') });
    line.cutAfter(4 * 1024 ** 2);
    const chunks: Uint8Array[] = [];
    for await (const chunk of shaky.get(told, join(folder, 'to'))) chunks.push(chunk);

    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    expect((await readFile(join(folder, 'to'))).equals(bytes)).toBe(true);
    expect(told.events.filter(({ type }) => type === 'attempt.failed').length).toBe(2);
    const progressed = told.events.flatMap((event) =>
      event.type === 'task.progressed' ? [event.doneBytes ?? 0] : [],
    );
    // Sent twice it would be more than ten.
    expect(Math.max(...progressed)).toBeLessThan(8.5 * 1024 ** 2);
  });

  test('put does not send again what is there, and mends what was damaged on the way', async () => {
    const folder = await tempDir();
    const from = join(folder, 'from');
    const to = join(folder, 'to');
    await writeFile(from, randomBytes(2 * 1024 ** 2));
    await host.put(ctx, to, { file: from }, { mode: 0o600 });
    const again = recordingContext();
    await host.put(again, to, { file: from }, { mode: 0o644 });
    const sent = again.events.filter(({ type }) => type === 'task.progressed');

    await spoilPart(folder, from);
    await host.put(ctx, join(folder, 'other'), { file: from });

    expect(sent).toEqual([]);
    expect((await readFile(join(folder, 'other'))).equals(await readFile(from))).toBe(true);
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('follow goes on after a cut, with every line once', async () => {
    const path = join(await tempDir(), 'log');
    const line = await startCutLine(sshd.port);
    onTestFinished(line.stop);
    const shaky = await open({ port: line.port });
    await writeFile(path, 'one\ntwo\n');
    const seen: string[] = [];

    for await (const text of shaky.follow(ctx, path)) {
      seen.push(text);
      if (text === 'two') {
        line.cut();
        await appendFile(path, 'three\n');
      }
      if (text === 'three') break;
    }

    expect(seen).toEqual(['one', 'two', 'three']);
    await vi.waitFor(() => expect(processesWith(`-F -- ${path}`)).toEqual([]), PATIENT);
  });

  test('is reached by a fingerprint, of whichever of its keys', async () => {
    for (const key of sshd.hostKeys) {
      const opened = await open({ pin: { fingerprints: [fingerprintOf(key)] } });
      expect((await opened.run(ctx, 'true', [])).status).toBe(0);
    }
  });

  test('is refused when it shows another key than the pinned one, before any login', async () => {
    const folder = await tempDir();
    keygen(join(folder, 'other'));
    const other = await readFile(join(folder, 'other.pub'), 'utf8');
    const known = join(folder, 'known hosts');
    await writeFile(known, `[127.0.0.1]:${sshd.port} ${other}`);
    await writeFile(join(folder, 'empty'), '');

    for (const pin of [
      { keys: [other] },
      { fingerprints: [fingerprintOf(other)] },
      { knownHosts: known },
      { knownHosts: join(folder, 'empty') },
    ]) {
      await expect(openSshHost(ctx, target({ pin }), QUICK)).rejects.toMatchObject({
        code: 'HOST_KEY_UNTRUSTED',
      });
    }
  });

  test('is reached with a known_hosts file, with what the user has configured, and by jumps', async () => {
    const folder = await tempDir();
    const known = join(folder, 'known hosts');
    await writeFile(known, `[127.0.0.1]:${sshd.port} ${sshd.hostKeys[0]}\n`);
    const config = join(folder, 'config');
    const { identity, port, user } = sshd;
    await writeFile(
      config,
      `Host inner outer\n HostName 127.0.0.1\n Port ${port}\n User ${user}\n IdentityFile ${identity}\n UserKnownHostsFile "${known}"\n RemoteCommand false\n LocalForward 1 localhost:1\n`,
    );
    const bare = { port: undefined, user: undefined, identity: undefined };

    const plain = await open({ pin: { knownHosts: known } });
    const jumped = await open({ ...bare, address: 'inner', jump: 'outer', config, pin: undefined });

    expect((await plain.run(ctx, 'echo', ['here'])).stdout).toBe('here\n');
    expect(jumped.name).toBe('inner');
    expect((await jumped.run(ctx, 'echo', ['there'])).stdout).toBe('there\n');
  });

  test('says what is wrong: nobody listens, the name, the key', async () => {
    const folder = await tempDir();
    keygen(join(folder, 'stranger'));
    const refused = async (change: Partial<SshTarget>) =>
      openSshHost(ctx, target(change), QUICK).then(
        () => 'opened',
        (error: { code?: string }) => error.code,
      );

    expect(await refused({ port: 1 })).toBe('HOST_UNREACHABLE');
    expect(await refused({ address: 'no-such-host.invalid' })).toBe('NAME_UNRESOLVED');
    expect(await refused({ identity: join(folder, 'stranger') })).toBe('HOST_DENIED');
    expect(await refused({ pin: { keys: ['nonsense'] } })).toBe('INPUT_INVALID');
  });

  test('is waited for while it boots', async () => {
    const own = await startSshd();
    onTestFinished(own.remove);
    await own.stop();
    const told = recordingContext();
    const emit: typeof told.emit = (event) => {
      told.emit(event);
      if (event.type === 'attempt.failed' && event.attempt === 2) void own.restart();
    };
    const { port, identity, hostKeys } = own;
    const booting = { ...target(), port, identity, pin: { keys: hostKeys } };

    const opened = await openSshHost({ ...told, emit }, booting, {
      attempts: 100,
      firstDelayMs: 20,
      maxDelayMs: 100,
    });
    onTestFinished(() => opened.close());

    expect((await opened.run(ctx, 'true', [])).status).toBe(0);
  });

  test('does not show what goes through standard input to those who look at processes', async () => {
    const folder = await tempDir();
    const secret = `hunter-${randomBytes(8).toString('hex')}`;
    await mkdir(join(folder, 'deep'));
    const seen: string[] = [];

    await host.run(ctx, 'sh', ['-c', 'echo on; cat > /dev/null; sleep 0.1'], {
      input: secret,
      onLine: () => seen.push(...processesWith(secret)),
    });
    await host.put(ctx, join(folder, 'deep', 'secret'), secret, { mode: 0o600 });

    expect(seen).toEqual([]);
    expect(await readFile(join(folder, 'deep', 'secret'), 'utf8')).toBe(secret);
  });

  test('is connected when it is needed first', async () => {
    const lazy = sshHost(target({ port: 1 }), QUICK);

    await expect(lazy.run(ctx, 'true', [])).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    await lazy.close();
  });
});

/** Leaves the beginning of another content in the place where a cut transfer would have left its own. */
async function spoilPart(folder: string, from: string): Promise<void> {
  const sum = createHash('sha256')
    .update(await readFile(from))
    .digest('hex');
  await writeFile(join(folder, `.other.${sum.slice(0, 16)}.part`), randomBytes(1000));
}
