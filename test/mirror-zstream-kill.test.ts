import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { checkBundle } from '../src/mirror/bundle/look.ts';
import type { Recompression } from '../src/mirror/delta/methods.ts';
import { BYTES_PER_SECOND, bytesOf, DeltaLab, FILE_BYTES, indexOf } from './support/delta-lab.ts';
import { createDice } from './support/dice.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { type SlowProxy, startSlowProxy } from './support/slow-proxy.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

const IMAGES = ['operator', 'operand'];
/** Each image has three layers, each made by another builder. */
const BUILDERS: readonly Recompression[] = [
  { program: 'pgzip', version: '1.18.2', level: -1 },
  { program: 'go', version: '1.26', level: -1 },
  { program: 'klauspost', version: '1.15.9', level: -1 },
];
const ALL_BYTES = IMAGES.length * BUILDERS.length * FILE_BYTES;
/** Where programs are killed. Another number kills them elsewhere, and must end the same. */
const SEED = Number(process.env.ATOLL_TEST_SEED ?? 17);
const MOST_KILLS = 2;

describe('a z-stream', () => {
  let lab: DeltaLab;
  let mirror: EmbeddedRegistry;
  let inside: SlowProxy;
  const dice = createDice(SEED);
  const killed = { outside: 0, inside: 0 };

  beforeAll(async () => {
    [lab, mirror] = await Promise.all([DeltaLab.start(), startEmbeddedRegistry()]);
    inside = await startSlowProxy(mirror.url, BYTES_PER_SECOND);
    for (const version of [1, 2, 3])
      for (const name of IMAGES) await lab.publish(name, version, BUILDERS);
  });
  afterAll(async () => {
    await inside?.stop();
    await Promise.all([lab?.stop(), mirror?.stop()]);
  });

  /** By bytes on the line, or by changes in a folder: what it does where nothing moves is cut, too. */
  const killPoint = (proxy: SlowProxy, folder: string) =>
    dice.below(100) < 40
      ? { proxy, after: 1 + dice.below(ALL_BYTES / 4) }
      : { proxy, after: 1 + dice.below(50), folder };

  /** Kills it up to twice, then lets it come to its end. */
  async function runKilled(side: keyof typeof killed, argv: readonly string[], folder: string) {
    const proxy = side === 'outside' ? lab.line : inside;
    for (let kill = 0; kill < MOST_KILLS; kill += 1) {
      const { status, said } = await lab.atoll(argv, killPoint(proxy, folder));
      if (status === 0) return;
      if (status !== null) throw new Error(`seed ${SEED}, ${side}: ${said}`);
      killed[side] += 1;
    }
    await lab.done(argv);
  }

  test('crosses the gap twice as deltas, with kill -9 anywhere on both sides, and every digest is as upstream has it', async () => {
    for (const version of [1, 2, 3]) {
      const to = `bundle-${version}`;
      const since = version === 1 ? [] : ['--since', lab.at(`bundle-${version - 1}`)];

      const save = lab.save(await lab.configOf(version, IMAGES), to, ...since);
      await runKilled('outside', save, lab.at(version === 2 ? 'outside' : to));
      await runKilled('inside', lab.load(to, inside.host), lab.at('inside'));

      await checkBundle(silentContext(), lab.at(to), []);
      await lab.expectVersion(mirror.host, version, IMAGES);
      if (version === 1) continue;
      const index = await indexOf(lab.at(to));
      expect(index.deltas).toHaveLength(IMAGES.length * BUILDERS.length);
      expect(bytesOf(index)).toBeLessThan(ALL_BYTES / 5);
    }
    expect(killed.outside).toBeGreaterThan(1);
    expect(killed.inside).toBeGreaterThan(1);
  });
});
