import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AwsLab, startAwsLab } from './support/aws-lab.ts';
import { commandsOf, guideHome, typeInShell } from './support/guide.ts';
import { describeWithPeers } from './support/peers.ts';
import { tempDir } from './support/temp.ts';

// The AWS command line of others starts a dozen times, on a machine that may be busy.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

const REQUEST = `apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata:
  name: openshift-machine-api-aws
  namespace: openshift-cloud-credential-operator
spec:
  secretRef:
    name: aws-cloud-credentials
    namespace: openshift-machine-api
  providerSpec:
    apiVersion: cloudcredential.openshift.io/v1
    kind: AWSProviderSpec
    statementEntries:
    - effect: Allow
      action: ['ec2:RunInstances', 'ec2:DescribeInstances']
      resource: '*'
`;

describeWithPeers(['moto_server', 'aws', 'jq'], 'what the guide says about AWS', () => {
  let lab: AwsLab;
  let home: string;
  beforeAll(async () => {
    lab = await startAwsLab();
    home = guideHome();
  });
  afterAll(async () => {
    await lab?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  /** What the reader fills in: names that the stack of the network gave. */
  function filledIn(folder: string, line: string): string {
    if (!/BUCKET|…/.test(line)) return line;
    const { Stacks } = JSON.parse(readFileSync(join(folder, 'network.json'), 'utf8'));
    const outputs = new Map<string, string>(
      Stacks[0].Outputs.map((each: { OutputKey: string; OutputValue: string }) => [
        each.OutputKey,
        each.OutputValue,
      ]),
    );
    const firstOf = (key: string) => outputs.get(key)?.split(',')[0] ?? `no ${key}`;
    return line
      .replaceAll('BUCKET', firstOf('IgnitionBucket'))
      .replace('vpc-…', firstOf('VpcId'))
      .replace('subnet-…', firstOf('PublicSubnetIds'))
      .replace('ami-…', 'ami-12c6146b');
  }

  test('the commands of docs/guide/aws.md work as they stand', async () => {
    const folder = await tempDir();
    writeFileSync(join(folder, 'bastion.ign'), '{"ignition":{"version":"3.4.0"}}');
    mkdirSync(join(folder, 'requests'));
    writeFileSync(join(folder, 'requests/machine-api.yaml'), REQUEST);
    const env = { ...lab.env, AWS_DEFAULT_REGION: 'us-east-1' };
    // A release of Red Hat has them; the one above stands for those.
    const isHere = ({ line }: { line: string }) => !line.includes('release extract');
    const commands = commandsOf('docs/guide/aws.md').filter(isHere);

    const failed: string[] = [];
    for (const { line } of commands) {
      const problem = await typeInShell(folder, filledIn(folder, line), { home, env });
      if (problem !== undefined) failed.push(problem);
    }

    expect(failed).toEqual([]);
    expect(commands.filter(({ line }) => line.includes('aws ')).length).toBeGreaterThan(5);
    const { Stacks } = JSON.parse(readFileSync(join(folder, 'network.json'), 'utf8'));
    expect(Stacks[0].StackStatus).toMatch(/^(CREATE|UPDATE)_COMPLETE$/);
    const [secret = ''] = readdirSync(join(folder, 'secrets'));
    expect(readFileSync(join(folder, 'secrets', secret), 'utf8')).toContain(
      'aws_secret_access_key',
    );
  });
});
