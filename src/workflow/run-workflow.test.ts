import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { recordingContext, silentContext } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { type Journal, openJournal } from './journal.ts';
import { runWorkflow, type WorkflowOptions } from './run-workflow.ts';
import type { JsonObject, Step } from './step.ts';

interface Bench {
  readonly directory: string;
  readonly ran: string[];
  readonly step: (id: string, overrides?: Partial<Step>) => Step;
  readonly run: (
    steps: readonly Step[],
    options?: Partial<WorkflowOptions>,
  ) => ReturnType<typeof runWorkflow>;
}

async function bench(ctx = silentContext()): Promise<Bench> {
  const directory = await tempDir();
  const ran: string[] = [];
  const step = (id: string, overrides: Partial<Step> = {}): Step => ({
    id,
    title: id,
    phase: 'test',
    needs: [],
    inputs: {},
    run: async () => {
      ran.push(id);
      return { from: id };
    },
    ...overrides,
  });
  const run: Bench['run'] = async (steps, options) => {
    const journal: Journal = await openJournal(ctx, join(directory, 'journal.ndjson'));
    try {
      return await runWorkflow(ctx, { name: 'w', steps }, journal, { directory, ...options });
    } finally {
      await journal.close();
    }
  };
  return { directory, ran, step, run };
}

describe('runWorkflow', () => {
  test('runs steps in order of need and hands outputs on', async () => {
    const { step, run } = await bench();
    let seen: Readonly<Record<string, JsonObject>> = {};
    const b = step('b', {
      needs: ['a'],
      run: async (_ctx, { outputs }) => {
        seen = outputs;
        return {};
      },
    });

    const result = await run([step('a'), b]);

    expect(result.succeeded).toBe(true);
    expect(seen).toEqual({ a: { from: 'a' } });
  });

  test('skips what is finished, and still hands its output on', async () => {
    const { ran, step, run } = await bench();
    await run([step('a'), step('b', { needs: ['a'] })]);
    ran.length = 0;

    const result = await run([step('a'), step('b', { needs: ['a'] })]);

    expect(ran).toEqual([]);
    expect(result.outputs).toEqual({ a: { from: 'a' }, b: { from: 'b' } });
  });

  test('runs again only what depends on a change, and says what changed', async () => {
    const recording = recordingContext();
    const { ran, step, run } = await bench(recording);
    const steps = (release: string) => [
      step('network', { inputs: { region: 'eu' } }),
      step('images', {
        inputs: { release },
        run: async () => {
          ran.push('images');
          return { release };
        },
      }),
      step('config', { needs: ['images'], inputs: { name: 'c' } }),
      step('proxy', { needs: ['network'] }),
    ];
    await run(steps('4.18.1'));
    ran.length = 0;
    recording.events.length = 0;

    await run(steps('4.18.2'));

    expect(ran).toEqual(['images', 'config']);
    const reasons = recording.events.flatMap((e) =>
      e.type === 'step.started' ? [[e.step, e.reason]] : [],
    );
    expect(reasons).toEqual([
      ['images', 'changed: release'],
      ['config', 'changed: step:images'],
    ]);
  });

  test('an interrupt ends the run with its reason and is not recorded as a failure', async () => {
    const stop = new AbortController();
    const { directory, ran, step, run } = await bench({ ...silentContext(), signal: stop.signal });
    const slow = step('slow', {
      needs: ['a'],
      run: async (ctx) => {
        stop.abort(new AtollError('INTERRUPTED', 'stop'));
        ctx.signal.throwIfAborted();
        return {};
      },
    });
    await expect(run([step('a'), slow])).rejects.toMatchObject({ code: 'INTERRUPTED' });

    const journal = await openJournal(silentContext(), join(directory, 'journal.ndjson'));
    expect(journal.history('slow')?.state).toBe('started');
    await journal.close();
    expect(ran).toEqual(['a']);
  });

  test('an interrupted step sees that it is resumed', async () => {
    const { directory, ran, step, run } = await bench();
    const journal = await openJournal(silentContext(), join(directory, 'journal.ndjson'));
    await journal.append({ kind: 'started', step: 'slow', fields: {} });
    await journal.close();
    let resumed = false;
    const slow = step('slow', {
      run: async (_ctx, state) => {
        resumed = state.resumed;
        ran.push('slow');
        return {};
      },
    });

    await run([slow]);

    expect([resumed, ran]).toEqual([true, ['slow']]);
  });

  test('stops at a failure, but post steps run and see the way things stand', async () => {
    const { ran, step, run } = await bench();
    const broken = step('broken', {
      run: async () => {
        throw new AtollError('REGISTRY_DENIED', 'no');
      },
    });

    const result = await run(
      [
        step('before', { phase: 'pre' }),
        broken,
        step('after', { needs: ['broken'] }),
        step('gather', { phase: 'post', optionalOnSuccess: true }),
        step('clean', { phase: 'post', needs: ['gather'] }),
      ],
      { allowSkipOnSuccess: true },
    );

    expect(ran).toEqual(['before', 'gather', 'clean']);
    expect(result.succeeded).toBe(false);
    expect(result.error).toMatchObject({ code: 'REGISTRY_DENIED' });
    expect(result.outcomes.find((o) => o.step === 'after')?.outcome).toBe('not-run');
  });

  test('leaves out post steps that are optional on success when all went well', async () => {
    const { ran, step, run } = await bench();

    await run([step('a'), step('gather', { phase: 'post', optionalOnSuccess: true })], {
      allowSkipOnSuccess: true,
    });

    expect(ran).toEqual(['a']);
  });

  test('a best-effort failure is told and does not fail the run', async () => {
    const { step, run } = await bench();
    const shaky = step('shaky', {
      bestEffort: true,
      run: async () => Promise.reject(new Error('oh')),
    });

    const result = await run([shaky, step('b')]);

    expect(result.succeeded).toBe(true);
    expect(result.outcomes[0]).toMatchObject({ outcome: 'failed', bestEffort: true });
  });

  test('runs independent branches side by side, within the bound', async () => {
    const { step, run } = await bench();
    let active = 0;
    let most = 0;
    const branch = (id: string) =>
      step(id, {
        run: async () => {
          active += 1;
          most = Math.max(most, active);
          await new Promise((resolve) => setTimeout(resolve, 10));
          active -= 1;
          return {};
        },
      });

    await run(['a', 'b', 'c', 'd'].map(branch), { parallel: 2 });

    expect(most).toBe(2);
  });

  test('a step that takes too long is aborted and named', async () => {
    const { step, run } = await bench();
    const endless = step('endless', {
      timeoutMs: 10,
      graceMs: 10,
      run: () => new Promise(() => undefined),
    });

    const result = await run([endless]);

    expect(result.error).toMatchObject({ code: 'TIMED_OUT' });
  });

  test('retries transient failures as often as the step allows', async () => {
    const { step, run } = await bench();
    let tries = 0;
    const flaky = step('flaky', {
      attempts: 3,
      run: async () => {
        tries += 1;
        if (tries < 3)
          throw new AtollError('REGISTRY_UNAVAILABLE', 'later', { details: { retryAfterMs: 1 } });
        return { tries };
      },
    });

    expect((await run([flaky])).outputs).toEqual({ flaky: { tries: 3 } });
  });

  test('only runs what was asked for, on the outputs of earlier runs', async () => {
    const { ran, step, run } = await bench();
    await run([step('a'), step('b', { needs: ['a'] })]);
    ran.length = 0;

    await run([step('a'), step('b', { needs: ['a'] })], { only: ['b'], fresh: true });

    expect(ran).toEqual(['b']);
  });

  test('keeps a log per step, without secrets', async () => {
    const { directory, step, run } = await bench();
    await run([
      step('a', {
        run: async (_ctx, { log }) => {
          log('GET https://me:hunter22@host/x');
          return {};
        },
      }),
    ]);

    const text = await readFile(join(directory, 'logs', 'a.log'), 'utf8');

    expect(text).toContain('https://[redacted]@host/x');
  });

  test('refuses a workflow whose step needs what comes later', async () => {
    const { step, run } = await bench();

    await expect(run([step('a', { needs: ['b'] }), step('b')])).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });
});
