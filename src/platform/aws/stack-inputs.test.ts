import { describe, expect, test } from 'vitest';
import { type AwsSiteChange, awsSite } from '../../../test/support/aws-site.ts';
import { bastionStackInput, networkInput } from './stack-inputs.ts';

const network = async (change: AwsSiteChange) => networkInput(await awsSite(change));

describe('networkInput', () => {
  test('gives a closed network what it needs, and what is chosen besides', async () => {
    const plain = await network({});
    const chosen = await network({ settings: { ecr: true, endpoints: ['elasticfilesystem'] } });

    expect(plain.endpoints).toEqual(expect.arrayContaining(['ec2', 'elasticloadbalancing', 'sts']));
    const more = ['ecr.api', 'ecr.dkr', 'elasticfilesystem'];
    expect(chosen.endpoints).toEqual([...(plain.endpoints ?? []), ...more]);
  });

  test('gives a private one only what is chosen, and a zone unless there is one', async () => {
    const open = await network({ disconnected: false, settings: { hostedZone: 'Z1' } });

    expect(open).toMatchObject({ mode: 'private', endpoints: [], zoneName: undefined });
    expect((await network({})).zoneName).toBe('north.example.com');
  });
});

test('bastionStackInput opens the ports of what runs there, to the network', async () => {
  const site = await awsSite({ shape: { ports: { registry: 5000, proxy: 3128 } } });

  expect(bastionStackInput(site).access).toMatchObject({
    clients: ['10.0.0.0/16'],
    registry: 5000,
    proxy: [3128],
  });
});
