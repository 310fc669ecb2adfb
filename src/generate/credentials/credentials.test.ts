import { describe, expect, test } from 'vitest';
import { REQUESTS, REQUESTS_YAML } from '../../../test/support/cloudformation.ts';
import { toYaml } from '../../core/yaml.ts';
import { readCredentialKeys } from './credential-keys.ts';
import { type CredentialsRequest, readCredentialsRequests } from './credentials-request.ts';
import { broadActions, policyDocuments } from './iam-policy.ts';
import { secretFileName, secretManifest, secretManifests } from './secret-manifest.ts';
import { selectRequests } from './select-requests.ts';
import { userName } from './user-name.ts';

const KEY = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'wJalr/example+secret' };
const [MACHINES, INGRESS] = REQUESTS as [CredentialsRequest, CredentialsRequest];
const AWS = { kind: 'AWSProviderSpec' };

function withAnnotations(annotations: Record<string, string>): CredentialsRequest {
  return { ...INGRESS, annotations };
}

const printed = (UserName: string) =>
  JSON.stringify({ AccessKey: { UserName, AccessKeyId: 'AKIA', SecretAccessKey: 's' } }, null, 4);

describe('readCredentialsRequests', () => {
  test('reads every document of a text', () => {
    expect(REQUESTS.map(({ name, secret }) => [name, secret.namespace])).toEqual([
      ['openshift-machine-api-aws', 'openshift-machine-api'],
      ['openshift-ingress', 'openshift-ingress-operator'],
    ]);
  });

  test.each([
    ['kind: Namespace', 'it is a Namespace'],
    ['just text', 'it is no object'],
    ['kind: CredentialsRequest', 'metadata'],
    [REQUESTS_YAML.replace('namespace: openshift-machine-api }', '}'), 'spec.secretRef.namespace'],
    [REQUESTS_YAML.replace('effect: Allow', 'effect: Maybe'), 'statementEntries.0.effect'],
    [REQUESTS_YAML.replace('resource: "*"', 'resources: "*"'), 'statementEntries.0'],
  ])('refuses %j', (text, message) => {
    expect(() => readCredentialsRequests(text, 'r.yaml')).toThrow(
      expect.objectContaining({
        code: 'INPUT_INVALID',
        message: expect.stringMatching(new RegExp(`document 1 of "r.yaml".*${message}`)),
      }),
    );
  });
});

describe('selectRequests', () => {
  test.each([
    [INGRESS, { kind: 'NutanixProviderSpec' }, 'another cloud (AWSProviderSpec)'],
    [MACHINES, { ...AWS, disabledCapabilities: ['MachineAPI'] }, 'capability MachineAPI is off'],
    [
      withAnnotations({ 'capability.openshift.io/name': 'Storage+Build' }),
      { ...AWS, disabledCapabilities: ['Build'] },
      'capability Build is off',
    ],
    [
      withAnnotations({
        'release.openshift.io/feature-set': 'CustomNoUpgrade,TechPreviewNoUpgrade',
      }),
      AWS,
      'only for CustomNoUpgrade, TechPreviewNoUpgrade',
    ],
    [
      withAnnotations({ 'include.release.openshift.io/ibm-cloud-managed': 'true' }),
      AWS,
      'not for the profile self-managed-high-availability',
    ],
    [withAnnotations({ 'release.openshift.io/delete': 'true' }), AWS, 'the release removes it'],
  ] as const)('leaves out %#, and says why', (request, input, reason) => {
    const { selected, skipped } = selectRequests([request], input);

    expect(selected).toEqual([]);
    expect(skipped).toEqual([{ name: request.name, reason: expect.stringContaining(reason) }]);
  });

  test('takes the rest, in order, and those without a profile', () => {
    const { selected } = selectRequests([MACHINES, withAnnotations({})], AWS);

    expect(selected.map(({ name }) => name)).toEqual([INGRESS.name, MACHINES.name]);
  });

  test('takes a preview when the cluster is one', () => {
    const preview = withAnnotations({ 'release.openshift.io/feature-set': 'TechPreviewNoUpgrade' });
    const input = { ...AWS, featureSet: 'TechPreviewNoUpgrade' };

    expect(selectRequests([preview], input).selected).toHaveLength(1);
  });

  test('refuses two requests for one Secret', () => {
    const twin = { ...INGRESS, name: 'other' };

    expect(() => selectRequests([INGRESS, twin], AWS)).toThrow(
      'two requests for "openshift-ingress-operator/cloud-credentials"',
    );
  });
});

describe('policyDocuments', () => {
  test('keeps effect, resource and condition, and sorts actions', () => {
    expect(policyDocuments(MACHINES)).toEqual([
      {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: ['ec2:CreateTags', 'ec2:DescribeImages', 'ec2:RunInstances', 'iam:PassRole'],
            Resource: '*',
          },
          {
            Effect: 'Allow',
            Action: ['kms:CreateGrant'],
            Resource: '*',
            Condition: { Bool: { 'kms:GrantIsForAWSResource': true } },
          },
        ],
      },
    ]);
  });

  test('spreads what IAM has no room for over several policies, and loses nothing', () => {
    const action = Array.from({ length: 400 }, (_, index) => `ec2:SomethingRatherLong${index}`);
    const large = { ...INGRESS, statements: [{ effect: 'Allow' as const, action, resource: '*' }] };
    const documents = policyDocuments(large);

    expect(documents.length).toBeGreaterThan(1);
    for (const one of documents) expect(JSON.stringify(one).length).toBeLessThanOrEqual(6144);
    const granted = documents.flatMap(({ Statement }) => Statement.flatMap((one) => one.Action));
    expect(granted.toSorted()).toEqual(action.toSorted());
  });

  test('refuses a request for nothing, and one for more than a user can have', () => {
    const action = Array.from({ length: 4000 }, (_, index) => `ec2:SomethingRatherLong${index}`);
    const huge = { ...INGRESS, statements: [{ effect: 'Allow' as const, action, resource: '*' }] };

    expect(() => policyDocuments({ ...INGRESS, statements: [] })).toThrow('Cannot make a policy');
    expect(() => policyDocuments(huge)).toThrow('a user takes 10');
  });
});

test('broadActions names whole services', () => {
  const action = ['*', 's3:*', 'ec2:Describe*', 'sts:AssumeRole'];
  const broad = { ...INGRESS, statements: [{ effect: 'Allow' as const, action, resource: '*' }] };

  expect([broadActions(broad), broadActions(INGRESS)]).toEqual([['*', 's3:*'], []]);
});

test('userName is never longer than IAM takes, and stays distinct', () => {
  const long = 'a-request-with-a-name-that-goes-on-and-on-and-on-until-it-is-long';

  expect(userName('site', 'openshift-ingress')).toBe('site-openshift-ingress');
  expect(userName('site', long)).toHaveLength(64);
  expect(userName('site', `${long}er`)).not.toBe(userName('site', long));
});

describe('readCredentialKeys', () => {
  test('reads keys by name, and what the AWS command line printed, one after the other', () => {
    const byName = readCredentialKeys(toYaml({ 'ns/secret': KEY }), 'k');
    const stream = readCredentialKeys(`${printed('a')}\n${printed('b')}\n`, 'k');
    const lines = [printed('a'), printed('b')].map((text) => JSON.stringify(JSON.parse(text)));

    expect([...byName]).toEqual([['ns/secret', KEY]]);
    expect([...stream.keys()]).toEqual(['a', 'b']);
    expect(readCredentialKeys(lines.join('\n'), 'k')).toEqual(stream);
  });

  test('says where a mistake is, but never what stands there', () => {
    const wrong = toYaml({ a: { accessKeyId: 'AKIA', secretAccesKey: 'hidden-value' } });
    const read = () => readCredentialKeys(wrong, 'keys.yaml');

    expect(read).toThrow('document 1 of "keys.yaml"');
    expect(read).not.toThrow('hidden-value');
  });
});

describe('secretManifests', () => {
  test('have their golden form', async () => {
    const keys = new Map([
      ['lab-openshift-ingress', KEY],
      ['openshift-machine-api/aws-cloud-credentials', KEY],
    ]);
    const { secrets, unused } = secretManifests(REQUESTS, keys, 'lab');

    expect(unused).toEqual([]);
    expect(secrets.map(secretFileName)).toEqual([
      'openshift-ingress-operator-cloud-credentials-credentials.yaml',
      'openshift-machine-api-aws-cloud-credentials-credentials.yaml',
    ]);
    await expect(toYaml(...secrets)).toMatchFileSnapshot('../golden/credentials-secrets.yaml');
  });

  test('name every request without a key, and every key without a request', () => {
    const some = new Map([['openshift-ingress', KEY]]);
    const more = new Map([
      ...some,
      ['openshift-machine-api-aws', KEY] as const,
      ['x', KEY] as const,
    ]);

    expect(() => secretManifests(REQUESTS, some)).toThrow(
      'a key for openshift-machine-api-aws (openshift-machine-api/aws-cloud-credentials)',
    );
    expect(secretManifests(REQUESTS, more).unused).toEqual(['x']);
  });

  test('log in to Prism Central on Nutanix', () => {
    const request = { ...INGRESS, kind: 'NutanixProviderSpec', statements: [] };
    const { stringData } = secretManifest(request, { username: 'admin', password: 'pw' });

    expect(JSON.parse(stringData.credentials ?? '')).toEqual([
      {
        type: 'basic_auth',
        data: { prismCentral: { username: 'admin', password: 'pw' }, prismElements: null },
      },
    ]);
    expect(() => secretManifest(request, KEY)).toThrow('Cannot make the Secret');
    expect(() => secretManifest(INGRESS, { username: 'a', password: 'b' })).toThrow('that key');
  });
});
