import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { type Context, silentContext } from '../../core/context.ts';
import { identityOf, isRunning } from '../../core/process-identity.ts';
import { openJournal } from '../journal.ts';
import { runWorkflow, type WorkflowResult } from '../run-workflow.ts';
import { missingNeeds } from './missing-needs.ts';
import { readStepRegistry } from './read-registry.ts';
import { resolveSteps } from './resolve.ts';
import { shellSteps } from './shell-step.ts';

interface Bench {
  readonly root: string;
  readonly at: (name: string) => string;
  readonly read: (name: string) => Promise<string>;
  readonly run: (ctx?: Context) => Promise<WorkflowResult>;
}

/** Runs `name` of a registry with these files, as often as the test likes. */
async function bench(
  name: string,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
  credentials: Readonly<Record<string, string>> = {},
): Promise<Bench> {
  const root = await tempDir();
  const at = (file: string) => join(root, file);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(at(`registry/${file}`)), { recursive: true });
    await writeFile(at(`registry/${file}`), text);
  }
  const run = async (ctx = silentContext()) => {
    const resolved = resolveSteps(await readStepRegistry(ctx, at('registry')), name);
    const steps = await shellSteps(resolved.steps, {
      sharedDir: at('shared'),
      artifactDir: at('artifacts'),
      env: { PATH: process.env.PATH, ...env },
      credentials,
    });
    const journal = await openJournal(ctx, at('journal.ndjson'));
    try {
      return await runWorkflow(ctx, { name, steps }, journal, {
        directory: root,
        allowSkipOnSuccess: resolved.allowSkipOnSuccess,
      });
    } finally {
      await journal.close();
    }
  };
  return { root, at, read: (file) => readFile(at(file), 'utf8'), run };
}

const ref = (name: string, commands: string, more = '') => ({
  [`${name}-ref.yaml`]: `ref:\n  as: ${name}\n  commands: ${name}-commands.sh\n${more}`,
  [`${name}-commands.sh`]: `${commands}\n`,
});

describe('shellSteps', () => {
  test.each(['false', 'echo "$NOT_SET"'])('end a step at "%s", as the CI does', async (line) => {
    const { run, read } = await bench('a', ref('a', `echo before\n${line}\necho after`));

    expect((await run()).error).toMatchObject({ code: 'PROGRAM_FAILED' });
    expect(await read('logs/a.log')).not.toContain('after');
  });

  test('leave a script with an interpreter of its own to it', async () => {
    const script = '#!/bin/bash\nfalse\necho "on $NOT_SET"';
    const { run, read } = await bench('a', ref('a', script, '  run_as_script: true\n'));

    expect((await run()).error).toBeUndefined();
    expect(await read('logs/a.log')).toContain('on ');
  });

  test('run a finished step again when its commands file has changed', async () => {
    const { run, at } = await bench('a', ref('a', 'true'));
    await run();
    expect((await run()).outcomes).toMatchObject([{ reason: 'already finished' }]);
    await writeFile(at('registry/a-commands.sh'), 'true # better\n');

    expect((await run()).outcomes).toMatchObject([
      { outcome: 'finished', reason: 'changed: commands' },
    ]);
  });

  test('end with the commands, whatever they left running', async () => {
    const left = [
      'sleep 300 & echo $! > "$SHARED_DIR/child"',
      `setsid bash -c 'echo $$ > "$SHARED_DIR/escaped"; exec sleep 301' &`,
      'until [ -s "$SHARED_DIR/escaped" ]; do sleep 0.01; done',
    ].join('\n');
    const { run, read } = await bench('a', ref('a', left));

    expect((await run()).error).toBeUndefined();

    process.kill(Number(await read('shared/escaped')), 'SIGKILL');
    const child = Number(await read('shared/child'));
    await vi.waitFor(async () => expect(await identityOf(child)).toBeUndefined());
  });

  test('end what an earlier run that was killed left running, before they start it again', async () => {
    const { run, at, root } = await bench('a', ref('a', 'echo ran >> "$SHARED_DIR/ran"'));
    await mkdir(join(root, 'steps', 'a'), { recursive: true });
    const orphan: ChildProcess = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void orphan.kill('SIGKILL'));
    const identity = await identityOf(orphan.pid ?? 0);
    await writeFile(at('steps/a/process.json'), JSON.stringify(identity));

    expect((await run()).error).toBeUndefined();

    expect(identity && (await isRunning(identity))).toBe(false);
    await expect(stat(at('steps/a/process.json'))).rejects.toThrow('ENOENT');
  });

  test('do not start what was interrupted before it began', async () => {
    const stop = new AbortController();
    const ctx = silentContext({
      signal: stop.signal,
      emit: (event) => event.type === 'step.started' && stop.abort(new Error('enough')),
    });
    const { run, at } = await bench('a', ref('a', 'echo ran >> "$SHARED_DIR/ran"'));

    await expect(run(ctx)).rejects.toThrow('enough');

    await expect(stat(at('shared/ran'))).rejects.toThrow('ENOENT');
  });

  test('take a line of any length, and letters that are cut in the middle', async () => {
    const { run, read } = await bench(
      'a',
      ref(
        'a',
        'head -c 5000000 /dev/zero | tr "\\0" x\nfor i in 1 2 3; do printf "é%.0s" {1..9999}; done',
      ),
    );

    expect((await run()).error).toBeUndefined();

    const log = await read('logs/a.log');
    expect(log.match(/x/g)).toHaveLength(5_000_000);
    expect(log.match(/é/g)).toHaveLength(3 * 9999);
  });

  test('fail a step whose log cannot be written', async () => {
    const commands = 'echo $$ > "$SHARED_DIR/pid"; echo one; sleep 300';
    const { run, at, read } = await bench('a', ref('a', commands));
    await mkdir(at('logs/a.log'), { recursive: true });

    expect((await run().catch((error: unknown) => ({ error }))).error).toMatchObject({
      code: 'FILE_UNWRITABLE',
    });

    // Nothing of it runs or writes any more.
    expect(await identityOf(Number(await read('shared/pid')))).toBeUndefined();
    expect(await readdir(at('steps/a'))).toEqual(['commands.sh']);
  });

  test('give a step a KUBECONFIG of its own, which is that of SHARED_DIR and never the caller’s', async () => {
    const files = {
      ...ref(
        'a',
        'echo "a $KUBECONFIG" >> "$SHARED_DIR/said"; echo made > "$SHARED_DIR/kubeconfig"',
      ),
      ...ref('b', 'cat "$KUBECONFIG" >> "$SHARED_DIR/said"; echo spoilt > "$KUBECONFIG"'),
      ...ref(
        'c',
        'cat "$KUBECONFIG" >> "$SHARED_DIR/said"; basename "$KUBEADMIN_PASSWORD_FILE" >> "$SHARED_DIR/said"',
      ),
      ...ref(
        'd',
        'env | grep -c ^KUBECONFIG= >> "$SHARED_DIR/said" || true',
        '  no_kubeconfig: true\n',
      ),
      'all-chain.yaml': 'chain:\n  as: all\n  steps: [{ref: a}, {ref: b}, {ref: c}, {ref: d}]\n',
    };
    const { run, read, at } = await bench('all', files, { KUBECONFIG: '/home/me/.kube/config' });

    expect((await run()).error).toBeUndefined();

    expect((await read('shared/said')).split('\n')).toEqual([
      `a ${at('shared/kubeconfig')}`,
      'made',
      'made',
      'kubeadmin-password',
      '0',
      '',
    ]);
  });

  test('take a word for a command, and a file name for a file', async () => {
    const inline = await bench('a', { 'a-ref.yaml': 'ref:\n  as: a\n  commands: pwd\n' });
    const missing = await bench('a', {
      'a-ref.yaml': 'ref:\n  as: a\n  commands: a-commands.sh\n',
    });

    expect((await inline.run()).error).toBeUndefined();
    await expect(missing.run()).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringContaining('registry/a-commands.sh'),
    });
  });

  const WORKFLOW = (flag: string) => ({
    ...ref('a', 'false', '  best_effort: true\n  timeout: 1m\n'),
    ...ref('b', 'true', '  optional_on_success: true\n'),
    'w-workflow.yaml': `workflow:\n  as: w\n  steps:\n    ${flag}\n    post: [{ref: a}, {ref: b}]\n`,
  });

  test('forgive a best-effort step only where the workflow allows it', async () => {
    const allowed = await bench('w', WORKFLOW('allow_best_effort_post_steps: true'));
    const refused = await bench('w', WORKFLOW('allow_best_effort_post_steps: false'));

    expect((await allowed.run()).succeeded).toBe(true);
    expect((await refused.run()).error).toMatchObject({ code: 'PROGRAM_FAILED' });
  });

  test('leave out what is optional when all before the phase went well, as the CI does', async () => {
    const { run } = await bench('w', WORKFLOW('allow_skip_on_success: true'));

    expect((await run()).outcomes).toMatchObject([
      { step: 'a', outcome: 'failed' },
      { step: 'b', outcome: 'skipped', reason: 'all went well' },
    ]);
  });
});

test('shellSteps lead a step to the folder that a credential was mapped to', async () => {
  const folder = await tempDir();
  await writeFile(join(folder, 'token'), 'a-token\n');
  const more = `  credentials:\n  - name: proxy-creds\n    namespace: test-credentials\n    mount_path: /var/run/vault/proxy\n  env:\n  - name: PLACE\n    default: /var/run/vault/proxy\n`;
  const files = ref(
    'a',
    'cat /var/run/vault/proxy/token "$PLACE/token" > "$SHARED_DIR/seen"',
    more,
  );
  const { run, read } = await bench('a', files, {}, { 'proxy-creds': folder });

  expect((await run()).succeeded).toBe(true);
  expect(await read('shared/seen')).toBe('a-token\na-token\n');
});

test('missingNeeds tells before a step starts what it will miss', async () => {
  const root = await tempDir();
  for (const [file, text] of Object.entries(
    ref('a', 'oc-of-nobody get "$LEASED_RESOURCE" "$GIVEN" "$SHARED_DIR"; ls'),
  ))
    await writeFile(join(root, file), text);
  const { steps } = resolveSteps(await readStepRegistry(silentContext(), root), 'a');

  const env = { PATH: process.env.PATH, GIVEN: 'x' };
  expect(await missingNeeds(steps, { env })).toEqual([
    { step: 'a', variables: ['LEASED_RESOURCE'], programs: ['oc-of-nobody'] },
  ]);
});
