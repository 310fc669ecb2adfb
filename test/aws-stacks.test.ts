import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { applyStack } from '../src/platform/aws/stacks/apply-stack.ts';
import { removeStack } from '../src/platform/aws/stacks/remove-stack.ts';
import { findStack } from '../src/platform/aws/stacks/stack-state.ts';
import { type AwsLab, startAwsLab } from './support/aws-lab.ts';
import { type Fate, refusal } from './support/aws-proxy.ts';
import { describeWithPeers } from './support/peers.ts';

const ctx = silentContext();
const template = (resources: object) =>
  JSON.stringify({
    AWSTemplateFormatVersion: '2010-09-09',
    Resources: resources,
    Outputs: { Made: { Value: 'yes' } },
  });
const vpc = (CidrBlock: string) => ({ Type: 'AWS::EC2::VPC', Properties: { CidrBlock } });
const order = {
  name: 'north-network',
  site: 'north',
  template: template({ Vpc: vpc('10.0.0.0/16') }),
};

describeWithPeers(['moto_server'], 'stacks of a site', () => {
  let lab: AwsLab;

  beforeAll(async () => {
    lab = await startAwsLab();
  }, 60_000);
  afterAll(() => lab?.stop());
  beforeEach(() => lab.reset());

  const status = async () => (await findStack(ctx, lab.aws, order.name))?.status;

  test('are made, told as they go, and give their outputs', async () => {
    const recording = recordingContext();

    const outputs = await applyStack(recording, lab.aws, order);

    expect(outputs).toEqual({ Made: 'yes' });
    expect(recording.events).toContainEqual(
      expect.objectContaining({ type: 'task.progressed', note: 'north-network create complete' }),
    );
    expect(recording.events.at(-1)).toMatchObject({ type: 'task.finished' });
  });

  test('stay as they are when nothing has changed, and follow their template when it has', async () => {
    await applyStack(ctx, lab.aws, order);
    expect(await applyStack(ctx, lab.aws, order)).toEqual({ Made: 'yes' });

    const more = template({ Vpc: vpc('10.0.0.0/16'), Gate: { Type: 'AWS::EC2::InternetGateway' } });
    await applyStack(ctx, lab.aws, { ...order, template: more });

    expect(await status()).toBe('UPDATE_COMPLETE');
  });

  test('are removed, and may be removed again', async () => {
    await applyStack(ctx, lab.aws, order);
    await removeStack(ctx, lab.aws, order);
    await removeStack(ctx, lab.aws, order);

    expect(await status()).toBeUndefined();
  });

  test('of somebody else are neither changed nor removed', async () => {
    await applyStack(ctx, lab.aws, { ...order, site: 'south' });
    const recording = recordingContext();

    await expect(applyStack(ctx, lab.aws, order)).rejects.toMatchObject({ code: 'CLOUD_REFUSED' });
    await removeStack(recording, lab.aws, order);

    expect(await status()).toMatch(/_COMPLETE$/);
    expect(recording.events).toMatchObject([{ type: 'warning.raised', subject: order.name }]);
  });

  test.each<[string, Fate]>([
    ['throttled', refusal('Throttling', 'Rate exceeded')],
    ['cut before it takes effect', 'cut-before'],
    ['cut after it took effect', 'cut-after'],
  ])('are made and removed when every call is once %s', async (_, fate) => {
    const seen = new Set<string>();
    lab.proxy.decide = ({ action }) => {
      if (seen.has(action)) return 'pass';
      seen.add(action);
      return fate;
    };

    expect(await applyStack(ctx, lab.aws, order)).toEqual({ Made: 'yes' });
    await removeStack(ctx, lab.aws, order);

    expect(await status()).toBeUndefined();
    expect([...seen]).toEqual(expect.arrayContaining(['CreateChangeSet', 'DeleteStack']));
  });
});
