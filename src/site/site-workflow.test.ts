import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openTestSite } from '../../test/support/site.ts';
import { silentContext } from '../core/context.ts';
import { siteWorkflow } from './site-workflow.ts';
import { STAGE_IDS } from './stages/stage.ts';
import { bringUp, chosenSteps, planUp } from './up.ts';

const ctx = silentContext();

const ref = (name: string, commands: string) => `ref:
  as: ${name}
  commands: '${commands}'
  env:
  - name: GREETING
    default: hello
`;
const FILES = {
  'steps/check/own-check-ref.yaml': ref('own-check', 'echo "$GREETING" >> "$SHARED_DIR/said"'),
  'steps/tell/own-tell-ref.yaml': ref('own-tell', 'echo told >> "$SHARED_DIR/said"'),
  'steps/own-chain.yaml': 'chain:\n  as: own\n  steps:\n  - ref: own-check\n  - ref: own-tell\n',
};

async function stepsOf(steps: object, files: Readonly<Record<string, string>> = FILES) {
  const open = await openTestSite({ steps: { registry: 'steps', ...steps } }, files);
  const workflow = await siteWorkflow(ctx, open.work);
  const needs = Object.fromEntries(workflow.steps.map((step) => [step.id, step.needs]));
  return { open, workflow, ids: workflow.steps.map(({ id }) => id), needs };
}

describe('siteWorkflow', () => {
  test('is the ten stages in order, when the site says nothing', async () => {
    const { ids } = await stepsOf({});

    expect(ids).toEqual(STAGE_IDS);
  });

  test('leaves out what the site skips; those that needed it need what it needed', async () => {
    const { ids, needs } = await stepsOf({ skip: ['tools', 'credentials'] });

    expect(ids).not.toContain('tools');
    expect(needs.images).toEqual(['bastion', 'registry']);
    expect(needs.cluster).toEqual(['bastion', 'config']);
  });

  test('names the nearest stage when one to skip is misspelled', async () => {
    await expect(stepsOf({ skip: ['verfy'] })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('steps.skip'),
      hint: 'Did you mean "verify"?',
    });
  });

  test('inserts a chain before a stage, which waits for its last step', async () => {
    const { ids, needs } = await stepsOf({ insert: [{ step: 'own', before: 'images' }] });

    expect(ids.slice(4, 8)).toEqual(['registry', 'own-check', 'own-tell', 'images']);
    expect(needs['own-check']).toEqual(['credentials', 'registry']);
    expect(needs['own-tell']).toEqual(['own-check']);
    expect(needs.images).toEqual(['credentials', 'registry', 'own-tell']);
  });

  test('inserts a step after a stage, before all that need the stage', async () => {
    const { ids, needs } = await stepsOf({ insert: [{ step: 'own-tell', after: 'bastion' }] });

    expect(ids.slice(1, 4)).toEqual(['bastion', 'own-tell', 'credentials']);
    expect(needs['own-tell']).toEqual(['bastion']);
    expect(needs.credentials).toEqual(['bastion', 'own-tell']);
    expect(needs.registry).toEqual(['bastion', 'credentials', 'own-tell']);
  });

  test('refuses a place or a step that does not exist, with the nearest name', async () => {
    await expect(
      stepsOf({ insert: [{ step: 'own-tell', after: 'basion' }] }),
    ).rejects.toMatchObject({ hint: 'Did you mean "bastion"?' });
    await expect(stepsOf({ insert: [{ step: 'own-tel', after: 'bastion' }] })).rejects.toThrow(
      'own-tel',
    );
  });

  test('replaces a stage by a ref of the site that is named after it', async () => {
    const files = {
      ...FILES,
      'steps/infra/atoll-infrastructure-ref.yaml': ref(
        'atoll-infrastructure',
        'echo "made by $ATOLL_SITE" > "$SHARED_DIR/said"',
      ),
    };
    const { open, ids, needs } = await stepsOf({}, files);

    const { succeeded } = await bringUp(ctx, open, { only: ['infrastructure'] });

    expect(succeeded).toBe(true);
    expect(ids).toEqual(STAGE_IDS);
    expect(needs.bastion).toEqual(['infrastructure']);
    const said = await readFile(join(open.work.paths.state, 'shared', 'said'), 'utf8');
    expect(said).toBe(`made by ${open.work.site.path}\n`);
  });
});

test('bringUp runs inserted steps once, with the environment the site gives them', async () => {
  const insert = [{ step: 'own-check', after: 'bastion', env: { GREETING: 'good morning' } }];
  const { open } = await stepsOf({ insert });
  const only = ['infrastructure', 'bastion', 'own-check'];

  await bringUp(ctx, open, { only });
  const second = await bringUp(ctx, open, { only });

  const outcome = second.outcomes.find(({ step }) => step === 'own-check');
  expect(outcome).toMatchObject({ outcome: 'skipped', reason: 'already finished' });
  const said = await readFile(join(open.work.paths.state, 'shared', 'said'), 'utf8');
  expect(said).toBe('good morning\n');
});

test('planUp says of a step what bringUp does, also when what it needs never ran', async () => {
  const { open } = await stepsOf({ insert: [{ step: 'own-tell', after: 'registry' }] });
  const only = ['own-tell'];
  await bringUp(ctx, open, { only });

  const planned = await planUp(ctx, open, { only });
  const { outcomes } = await bringUp(ctx, open, { only });

  expect(planned).toMatchObject([{ run: false, reason: 'already finished' }]);
  expect(outcomes).toContainEqual(
    expect.objectContaining({ step: 'own-tell', outcome: 'skipped', reason: 'already finished' }),
  );
});

test('planUp tells only of the stages that were chosen, and refuses those that do not exist', async () => {
  const open = await openTestSite();
  const ctx = silentContext();

  const planned = await planUp(ctx, open, { from: 'registry', to: 'images' });

  expect(planned.map(({ id }) => id)).toEqual(['registry', 'images']);
  await expect(planUp(ctx, open, { from: 'imagse' })).rejects.toMatchObject({ code: 'USAGE' });
});

describe('chosenSteps', () => {
  const IDS = ['a', 'b', 'c', 'd'];

  test.each([
    [{}, undefined],
    [{ from: 'c' }, ['c', 'd']],
    [{ to: 'b' }, ['a', 'b']],
    [{ from: 'b', to: 'c' }, ['b', 'c']],
    [{ only: ['d', 'a'] }, ['d', 'a']],
    [{ only: [], from: 'd' }, ['d']],
    [{ from: 'c', to: 'b' }, []],
  ])('takes %j as %j', (options, wanted) => {
    expect(chosenSteps(IDS, options)).toEqual(wanted);
  });

  test.each([{ from: 'x' }, { to: 'x' }, { only: ['a', 'x'] }])('refuses %j', (options) => {
    expect(() => chosenSteps(IDS, options)).toThrow(/Cannot use --\w+ "x"/);
  });
});
