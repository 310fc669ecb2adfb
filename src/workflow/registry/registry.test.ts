import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { openJournal } from '../journal.ts';
import { runWorkflow } from '../run-workflow.ts';
import { stepDot, stepTree } from './graph.ts';
import {
  overlayRegistry,
  readStepRegistry,
  readStepsFor,
  type StepRegistry,
} from './read-registry.ts';
import { resolveSteps } from './resolve.ts';
import { durationMs } from './schema.ts';
import { shellSteps } from './shell-step.ts';
import { shippedRegistry } from './shipped.ts';

const ctx = silentContext();

const FILES: Readonly<Record<string, string>> = {
  'ipi/conf/ipi-conf-ref.yaml': `ref:
  as: ipi-conf
  from: cli
  commands: ipi-conf-commands.sh
  timeout: 1h30m
  grace_period: 10m0s
  env:
  - name: BASE_DOMAIN
    default: example.com
    documentation: The domain.
  - name: NODES
    default: 3
  documentation: Writes install-config.yaml.
`,
  'ipi/conf/ipi-conf-commands.sh': 'echo "$BASE_DOMAIN $NODES" > "$SHARED_DIR/install-config"\n',
  'ipi/install/ipi-install-ref.yaml': `ref:
  as: ipi-install
  from: installer
  commands: |
    read -r line < "$SHARED_DIR/install-config"
    echo "installed $line" | tee "$ARTIFACT_DIR/result"
    touch "$SHARED_DIR/kubeconfig"
  env:
  - name: BASE_DOMAIN
    default: other.com
`,
  'ipi/check/ipi-check-ref.yaml': `ref:
  as: ipi-check
  commands: 'test -f "$KUBECONFIG"'
`,
  'ipi/ipi-chain.yaml': `chain:
  as: ipi
  steps:
  - ref: ipi-conf
  - ref: ipi-install
  env:
  - name: BASE_DOMAIN
    default: chain.example
`,
  'whole/whole-workflow.yaml': `workflow:
  as: whole
  steps:
    allow_skip_on_success: true
    pre:
    - chain: ipi
    test:
    - ref: ipi-check
    post:
    - as: gather
      commands: 'echo gathered > "$ARTIFACT_DIR/gathered"'
      optional_on_success: true
    env:
      NODES: "5"
`,
};

async function registryOf(
  files: Readonly<Record<string, string>>,
): Promise<{ root: string; registry: StepRegistry }> {
  const root = await tempDir();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return { root, registry: await readStepRegistry(ctx, root) };
}

describe('readStepsFor', () => {
  test('resolves a name as the whole registry does, and reads what it leads to only', async () => {
    const { root, registry } = await registryOf({
      ...FILES,
      'bad/bad-ref.yaml': 'ref:\n  as: bad\n  comands: x\n',
      'alone/alone-ref.yaml': 'ref:\n  as: alone\n  commands: x\n',
    });

    for (const name of ['whole', 'ipi', 'ipi-check']) {
      const some = await readStepsFor(ctx, root, name);
      expect(resolveSteps(some, name)).toEqual(resolveSteps(registry, name));
      expect(some.problems).toEqual([]);
      expect(some.refs.has('alone')).toBe(false);
    }
  });

  test('ends where chains contain each other, and names the nearest of all names', async () => {
    const { root } = await registryOf({
      'a/a-chain.yaml': 'chain:\n  as: a\n  steps:\n  - chain: b\n',
      'b/b-chain.yaml': 'chain:\n  as: b\n  steps:\n  - chain: a\n',
      'install/install-ref.yaml': 'ref:\n  as: install\n  commands: x\n',
    });

    expect(resolveSteps(await readStepsFor(ctx, root, 'a'), 'a').problems).toEqual([
      'chain/a > chain/b: chain "a" contains itself',
    ]);
    const slip = await readStepsFor(ctx, root, 'instal');
    expect(() => resolveSteps(slip, 'instal')).toThrow(
      expect.objectContaining({ hint: 'Did you mean "install"?' }),
    );
  });
});

describe('readStepRegistry', () => {
  test('reads refs, chains and workflows in the format of the CI', async () => {
    const { registry } = await registryOf(FILES);

    expect(registry.problems).toEqual([]);
    expect([...registry.refs.keys()].toSorted()).toEqual(['ipi-check', 'ipi-conf', 'ipi-install']);
    expect(registry.refs.get('ipi-conf')?.step.env?.[1]).toEqual({ name: 'NODES', default: '3' });
  });

  test('names file and line of what it cannot read, and keeps the rest', async () => {
    const { registry } = await registryOf({
      ...FILES,
      'bad/bad-ref.yaml': 'ref:\n  as: bad\n  comands: x\n',
      'torn/torn-chain.yaml': 'chain: [',
      'misnamed/one-ref.yaml': 'ref:\n  as: two\n  commands: x\n',
      'what/what-chain.yaml': 'chain:\n  as: what\n  steps:\n  - refs: foo\n',
    });

    const problems = registry.problems.map(({ file, severity, message }) => [
      file,
      severity,
      message,
    ]);
    expect(problems[0]).toEqual([
      'bad/bad-ref.yaml',
      'error',
      'unknown field "comands" (did you mean "commands"?)',
    ]);
    expect(problems[1]?.[2]).toContain('its name is "two"');
    expect(problems[2]?.[0]).toBe('torn/torn-chain.yaml');
    expect(problems[3]?.[2]).toContain('chain.steps.0: neither a "ref"');
    expect(registry.workflows.has('whole')).toBe(true);
  });

  // What Go's reader makes of each, as its program said.
  test.each([
    ['yes', 'true'],
    ['no', 'false'],
    ['Off', 'false'],
    ['"yes"', 'yes'],
    ['0644', '420'],
    ['1_000', '1000'],
    ['0x1F', '31'],
    ['4.10', '4.1'],
    ['1:30', '1:30'],
    ['2024-01-01', '2024-01-01'],
    ['True', 'true'],
  ])('reads the value %s as "%s"', async (written, value) => {
    const { registry } = await registryOf({
      'a-ref.yaml': `ref:\n  as: a\n  commands: x\n  env:\n  - name: A\n    default: ${written}\n`,
    });

    expect(registry.refs.get('a')?.step.env).toEqual([{ name: 'A', default: value }]);
  });

  test('leaves out what it calls a mistake: a name that is not that of its file, or taken', async () => {
    const { registry } = await registryOf({
      'a/one-ref.yaml': 'ref:\n  as: one\n  commands: first\n',
      'b/one-ref.yaml': 'ref:\n  as: one\n  commands: second\n',
      'c/three-ref.yaml': 'ref:\n  as: two\n  commands: x\n',
      'd/bad-chain.yaml': 'chain:\n  as: bad\n  steps:\n  - as: ../../../etc\n    commands: x\n',
    });

    expect([...registry.refs].map(([name, { step }]) => [name, step.commands])).toEqual([
      ['one', 'first'],
    ]);
    expect(registry.chains.size).toBe(0);
    expect(registry.problems.map(({ file, message }) => `${file}: ${message}`)).toEqual([
      'b/one-ref.yaml: "one" is defined already, in a/one-ref.yaml',
      'c/three-ref.yaml: its name is "two", but the file says "three"',
      expect.stringMatching(/^d\/bad-chain\.yaml: .*as/),
    ]);
  });

  test('warns about fields beside a ref, which the CI ignores', async () => {
    const { registry } = await registryOf({
      'c/c-chain.yaml': 'chain:\n  as: c\n  steps:\n  - ref: r\n    best_effort: true\n',
    });

    expect(registry.problems).toMatchObject([
      { severity: 'warning', message: 'best_effort beside "r" has no effect' },
    ]);
  });

  test('a folder that is not there is an error with the next step', async () => {
    await expect(readStepRegistry(ctx, '/nowhere/at/all')).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
    });
  });
});

describe('resolveSteps', () => {
  test('gives the order of the steps and where each value came from', async () => {
    const { registry } = await registryOf(FILES);

    const { steps, problems } = resolveSteps(registry, 'whole', { BASE_DOMAIN: 'mine.example' });

    expect(problems).toEqual([]);
    expect(steps.map(({ step, phase, path }) => [phase, step.as, path.join('>')])).toEqual([
      ['pre', 'ipi-conf', 'workflow/whole>chain/ipi'],
      ['pre', 'ipi-install', 'workflow/whole>chain/ipi'],
      ['test', 'ipi-check', 'workflow/whole'],
      ['post', 'gather', 'workflow/whole'],
    ]);
    expect(steps[0]?.env).toMatchObject([
      { name: 'BASE_DOMAIN', value: 'mine.example', from: 'caller' },
      { name: 'NODES', value: '5', from: 'workflow/whole' },
    ]);
  });

  test('the outermost value wins, as in the CI', async () => {
    const { registry } = await registryOf(FILES);

    const { steps } = resolveSteps(registry, 'ipi');

    expect(steps[1]?.env).toMatchObject([{ value: 'chain.example', from: 'chain/ipi' }]);
  });

  test('finds unknown names, cycles, repeats and values nobody declares', async () => {
    const { registry } = await registryOf({
      ...FILES,
      'a/a-chain.yaml':
        'chain:\n  as: a\n  env:\n  - name: BASE_DOMAINE\n    default: x\n  steps:\n  - ref: nope\n  - chain: a\n  - ref: ipi-conf\n  - ref: ipi-conf\n',
    });

    const { problems } = resolveSteps(registry, 'a');

    expect(problems).toEqual([
      'chain/a: unknown step "nope"',
      'chain/a: chain "a" contains itself',
      'chain/a: step "ipi-conf" appears twice in "test"',
      'chain/a: no step declares "BASE_DOMAINE", did it mean "BASE_DOMAIN"?',
    ]);
  });

  test('a chain that names a variable without a value hides those further in, as in the CI', async () => {
    const { registry } = await registryOf({
      ...FILES,
      'out/out-chain.yaml':
        'chain:\n  as: out\n  env:\n  - name: BASE_DOMAIN\n  - name: NOBODY\n  steps:\n  - chain: ipi\n',
    });

    const { steps, problems } = resolveSteps(registry, 'out');

    expect(steps[1]?.env).toMatchObject([{ value: 'other.com', from: 'step' }]);
    expect(problems).toEqual(['chain/out: no step declares "NOBODY"']);
  });

  test('gives dependencies the image of the workflow, and finds one that no step has', async () => {
    const { registry } = await registryOf({
      'd/d-ref.yaml':
        'ref:\n  as: d\n  commands: "true"\n  dependencies:\n  - {name: cli, env: CLI}\n  - {name: b, env: B}\n',
      'w/w-workflow.yaml':
        'workflow:\n  as: w\n  steps:\n    test: [{ref: d}]\n    dependencies: {CLI: "release:cli", B: "", CLII: x}\n',
    });

    const { steps, problems } = resolveSteps(registry, 'w');

    expect(steps[0]?.dependencies).toEqual([
      { env: 'CLI', name: 'release:cli', from: 'workflow/w' },
      { env: 'B', name: 'b', from: 'step' },
    ]);
    expect(problems).toEqual(['workflow/w: no step has a dependency "CLII", did it mean "CLI"?']);
  });

  test('suggests the nearest name', async () => {
    const { registry } = await registryOf(FILES);

    expect(() => resolveSteps(registry, 'ipi-instal')).toThrow(
      expect.objectContaining({ hint: 'Did you mean "ipi-install"?' }),
    );
  });
});

describe('shippedRegistry', () => {
  test('is valid, and its workflow runs the ten stages in order', () => {
    const registry = shippedRegistry();

    const { steps, problems } = resolveSteps(registry, 'atoll-install');

    expect([registry.problems, problems]).toEqual([[], []]);
    expect(steps.map(({ step }) => step.as.replace('atoll-', ''))).toEqual([
      'infrastructure',
      'bastion',
      'credentials',
      'tools',
      'registry',
      'images',
      'config',
      'cluster',
      'verify',
      'cleanup',
    ]);
  });

  test('gives way to a step of the same name', async () => {
    const { registry } = await registryOf({
      'atoll/images/atoll-images-ref.yaml': 'ref:\n  as: atoll-images\n  commands: ./mine.sh\n',
    });

    const { steps } = resolveSteps(overlayRegistry(shippedRegistry(), registry), 'atoll-mirror');

    expect(steps.map(({ step }) => step.commands)).toEqual([
      expect.stringContaining('up --only registry'),
      './mine.sh',
    ]);
  });
});

describe('stepTree and stepDot', () => {
  test('show chains as branches in running order', async () => {
    const { registry } = await registryOf(FILES);
    const resolved = resolveSteps(registry, 'whole');

    expect(stepTree(resolved)).toBe(
      [
        'workflow/whole',
        '  pre:',
        '    chain/ipi',
        '      ipi-conf  (timeout 1h30m)',
        '      ipi-install',
        '  test:',
        '    ipi-check',
        '  post:',
        '    gather  (optional on success)',
      ].join('\n'),
    );
    expect(stepDot(resolved)).toContain('"ipi-conf" -> "ipi-install";');
  });
});

describe('shellSteps', () => {
  async function runWhole(name: string, files: Readonly<Record<string, string>>) {
    const { root, registry } = await registryOf(files);
    const surroundings = {
      sharedDir: join(root, 'shared'),
      artifactDir: join(root, 'artifacts'),
      env: { PATH: process.env.PATH },
    };
    const resolved = resolveSteps(registry, name);
    const journal = await openJournal(ctx, join(root, 'journal.ndjson'));
    const result = await runWorkflow(
      ctx,
      { name, steps: await shellSteps(resolved.steps, surroundings) },
      journal,
      {
        directory: root,
        allowSkipOnSuccess: resolved.allowSkipOnSuccess,
      },
    );
    await journal.close();
    return { root, result };
  }

  test('run a workflow here with the CI’s directories and KUBECONFIG', async () => {
    const { root, result } = await runWhole('whole', FILES);

    expect(result.error).toBeUndefined();
    expect(await readFile(join(root, 'artifacts/ipi-install/result'), 'utf8')).toBe(
      'installed chain.example 5\n',
    );
    expect(await readFile(join(root, 'logs/ipi-install.log'), 'utf8')).toContain(
      'installed chain.example 5',
    );
    expect(result.outcomes.at(-1)).toMatchObject({
      step: 'gather',
      outcome: 'skipped',
      reason: 'all went well',
    });
  });

  test('gather after a failure, which is the result', async () => {
    const broken = {
      ...FILES,
      'ipi/check/ipi-check-ref.yaml': 'ref:\n  as: ipi-check\n  commands: exit 3\n',
    };

    const { root, result } = await runWhole('whole', broken);

    expect(result.error).toMatchObject({ code: 'PROGRAM_FAILED', details: { status: 3 } });
    expect(await readFile(join(root, 'artifacts/gather/gathered'), 'utf8')).toBe('gathered\n');
  });

  test('a step over its timeout gets SIGINT and is named', async () => {
    const { root, result } = await runWhole('slow', {
      'slow/slow-ref.yaml':
        'ref:\n  as: slow\n  timeout: 300ms\n  grace_period: 5s\n  commands: |\n    trap \'echo tidy > "$ARTIFACT_DIR/tidied"; exit 1\' INT\n    while true; do sleep 0.05; done\n',
    });

    expect(result.error).toMatchObject({ code: 'TIMED_OUT' });
    expect(await readFile(join(root, 'artifacts/slow/tidied'), 'utf8')).toBe('tidy\n');
  });

  test('a variable without a value, and a credential that is not there, are named', async () => {
    const open = await runWhole('open', {
      'open/open-ref.yaml': 'ref:\n  as: open\n  commands: "true"\n  env:\n  - name: REGION\n',
    });
    const secret = await runWhole('secret', {
      'secret/secret-ref.yaml':
        'ref:\n  as: secret\n  commands: "true"\n  credentials:\n  - name: quay\n    namespace: x\n    mount_path: /var/run/not-here\n',
    });

    expect(open.result.error).toMatchObject({
      message: 'Cannot run step "open": no value for REGION',
    });
    expect(secret.result.error).toMatchObject({
      message: expect.stringContaining('/var/run/not-here'),
    });
  });
});

test('durationMs reads durations as Go writes them', () => {
  expect(['1h30m', '45s', '10m0s', '1.5h', '250ms'].map(durationMs)).toEqual([
    5_400_000, 45_000, 600_000, 5_400_000, 250,
  ]);
});
