import { expect, test } from 'vitest';
import { installerPolicy } from './installer-policy.ts';
import { sitePolicy } from './site-policy.ts';

const POLICIES = [sitePolicy('north'), installerPolicy()];

test.each(POLICIES)(
  'a policy grants no action with a star, each once, and fits into IAM (%#)',
  (policy) => {
    const actions = policy.Statement.flatMap(({ Action }) => Action);

    expect(actions.filter((action) => action.includes('*'))).toEqual([]);
    expect(new Set(actions).size).toBe(actions.length);
    expect(JSON.stringify(policy).length).toBeLessThanOrEqual(6144);
  },
);

test('sitePolicy bounds what is made by the name of the site', () => {
  const { Statement } = sitePolicy('north', 'aws-us-gov');
  const ofStacks = Statement.find(({ Action }) => Action.includes('cloudformation:DeleteStack'));
  const ofBuckets = Statement.find(({ Action }) => Action.includes('s3:DeleteBucket'));

  expect(ofStacks?.Resource).toBe('arn:aws-us-gov:cloudformation:*:*:stack/atoll-north-*');
  expect(ofBuckets?.Resource).toContain('arn:aws-us-gov:s3:::atoll-north-network-*');
});
