import { describe, expect, test } from 'vitest';
import { REQUESTS } from '../../../test/support/cloudformation.ts';
import { nodesOf } from '../../../test/support/template-check.ts';
import { credentialsTemplate } from './credentials.ts';
import { SITE_TAG } from './tags.ts';
import { formatTemplate } from './template.ts';

const INPUT = { site: 'lab', requests: REQUESTS };

describe('credentialsTemplate', () => {
  test('has its golden forms', async () => {
    const managed = credentialsTemplate({ ...INPUT, keys: 'secrets-manager' });

    await expect(formatTemplate(credentialsTemplate(INPUT))).toMatchFileSnapshot(
      '../golden/cloudformation-credentials.yaml',
    );
    await expect(formatTemplate(managed)).toMatchFileSnapshot(
      '../golden/cloudformation-credentials-secrets-manager.yaml',
    );
  });

  test('does not depend on the order of the requests', () => {
    const reversed = { ...INPUT, requests: REQUESTS.toReversed() };

    expect(credentialsTemplate(reversed)).toEqual(credentialsTemplate(INPUT));
  });

  test('grants exactly the actions of the requests', () => {
    const granted = Object.values(credentialsTemplate(INPUT).Resources)
      .filter(({ Type }) => Type === 'AWS::IAM::ManagedPolicy')
      .flatMap(nodesOf)
      .flatMap((node) => (node as { Action?: readonly string[] } | null)?.Action ?? []);
    const asked = REQUESTS.flatMap(({ statements }) => statements.flatMap(({ action }) => action));

    expect(granted.toSorted()).toEqual(asked.toSorted());
  });

  test('never puts a key into an output', () => {
    for (const keys of ['outside', 'secrets-manager'] as const) {
      const { Outputs } = credentialsTemplate({ ...INPUT, keys });
      expect(JSON.stringify(Outputs)).not.toContain('SecretAccessKey');
      expect(JSON.stringify(Outputs)).not.toContain('Key"]');
    }
  });

  test('makes no key at all unless asked to', () => {
    const types = Object.values(credentialsTemplate(INPUT).Resources).map(({ Type }) => Type);

    expect(new Set(types)).toEqual(new Set(['AWS::IAM::ManagedPolicy', 'AWS::IAM::User']));
  });

  test('tags and bounds every user', () => {
    const permissionsBoundary = 'arn:aws:iam::123456789012:policy/boundary';
    const { Resources } = credentialsTemplate({ ...INPUT, permissionsBoundary });
    const users = Object.values(Resources).filter(({ Type }) => Type === 'AWS::IAM::User');

    expect(users).toHaveLength(2);
    for (const { Properties } of users) {
      expect(Properties?.PermissionsBoundary).toBe(permissionsBoundary);
      expect(Properties?.Tags).toContainEqual({ Key: SITE_TAG, Value: 'lab' });
    }
  });

  test('refuses nothing, names that clash, and more than a request can carry', () => {
    const [first] = REQUESTS;
    if (!first) throw new Error('no request');
    const clash = { ...first, name: 'openshift.ingress', secret: { name: 'a', namespace: 'b' } };
    const many = Array.from({ length: 60 }, (_, index) => ({
      ...first,
      name: `request-${index}`,
      secret: { name: `secret-${index}`, namespace: 'x' },
      statements: [
        {
          effect: 'Allow' as const,
          action: Array.from({ length: 40 }, (__, at) => `ec2:DoSomething${at}`),
          resource: '*',
        },
      ],
    }));

    expect(() => credentialsTemplate({ site: 'lab', requests: [] })).toThrow('there is no request');
    expect(() => credentialsTemplate({ site: 'lab', requests: [...REQUESTS, clash] })).toThrow(
      'two outputs "OpenshiftIngressUser"',
    );
    expect(() => formatTemplate(credentialsTemplate({ site: 'lab', requests: many }))).toThrow(
      'CloudFormation takes 51200',
    );
  });
});
