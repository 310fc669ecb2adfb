import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { REQUESTS_YAML } from '../../../../test/support/cloudformation.ts';
import { fakeProcess } from '../../../../test/support/fake-process.ts';
import { tempDir } from '../../../../test/support/temp.ts';
import { runCommandLine } from '../../run.ts';
import { RENDER_COMMANDS } from './index.ts';

async function atoll(...argv: string[]) {
  const process = fakeProcess();
  process.stdin.end('');
  const status = await runCommandLine(
    ['render', ...argv],
    { commands: RENDER_COMMANDS, groups: {} },
    process,
  );
  return { status, stdout: process.stdout.text, stderr: process.stderr.text };
}

async function folder(files: Readonly<Record<string, string>>): Promise<(name: string) => string> {
  const dir = await tempDir();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(dir, name, '..'), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return (name) => join(dir, name);
}

const SECRET = 'wJalrXUtnFEMIexampleKEY';
const printed = (UserName: string) =>
  `${JSON.stringify({ AccessKey: { UserName, AccessKeyId: 'AKIAEXAMPLE', SecretAccessKey: SECRET } }, null, 4)}\n`;
const KEYS = printed('lab-openshift-ingress') + printed('lab-openshift-machine-api-aws');

describe('render cloudformation network', () => {
  test('is closed over three zones unless told otherwise', async () => {
    const { status, stdout } = await atoll('cloudformation', 'network', '--name', 'lab');
    const types = Object.values<{ Type: string }>(parse(stdout).Resources).map(({ Type }) => Type);

    expect(status).toBe(0);
    expect(types.filter((type) => type === 'AWS::EC2::Subnet')).toHaveLength(6);
    expect(types).not.toContain('AWS::EC2::NatGateway');
  });

  test('takes zones by name, more endpoints, tags, and a way out', async () => {
    const flags = ['--mode', 'private', '--zone', 'us-east-1a', '--endpoint', 'ecr.api'];
    const more = ['--tag', 'team=platform', '--no-bucket', '--cluster-domain', 'lab.example.com'];
    const { stdout } = await atoll('cloudformation', 'network', '--name', 'lab', ...flags, ...more);
    const { Parameters, Resources } = parse(stdout);

    expect(Parameters.Zone1.Default).toBe('us-east-1a');
    expect(Object.keys(Resources)).toEqual(
      expect.arrayContaining(['NatGateway1', 'EcrApiEndpoint', 'HostedZone']),
    );
    expect(Object.keys(Resources)).not.toContain('IgnitionBucket');
    expect(Resources.Vpc.Properties.Tags).toContainEqual({ Key: 'team', Value: 'platform' });
  });

  test('adds to an existing VPC what it lacks', async () => {
    const ids = ['--vpc', 'vpc-01234567', '--subnet', 'subnet-01234567'];
    const { stdout } = await atoll(
      ...['cloudformation', 'network', '--name', 'lab', '--no-endpoints', '--endpoint', 'sts'],
      ...[...ids, '--route-table', 'rtb-01234567', '--no-bucket'],
    );

    expect(Object.keys(parse(stdout).Resources)).toEqual([
      ...['S3Endpoint', 'EndpointSecurityGroup', 'StsEndpoint'],
    ]);
  });
});

describe('render cloudformation bastion', () => {
  const source = 's3://lab-ignition/bastion.ign';
  const base = ['cloudformation', 'bastion', '--name', 'lab'];

  test('hashes the config, opens what is asked for, and warns of nothing', async () => {
    const at = await folder({ 'bastion.ign': '{}' });
    const { status, stdout, stderr } = await atoll(
      ...[...base, '--allow-from', '203.0.113.7/32', '--registry-port', '5000'],
      ...['--cache-port', '6001', '--proxy-port', '3128', '--open', 'registry'],
      ...['--ignition-source', source, '--ignition', at('bastion.ign'), '--data-disk', '500'],
    );
    const { SecurityGroup, Bastion } = parse(stdout).Resources;
    const rules: { FromPort: number; CidrIp: string }[] =
      SecurityGroup.Properties.SecurityGroupIngress;

    expect([status, stderr]).toEqual([0, '']);
    expect(rules.map(({ FromPort, CidrIp }) => `${FromPort} ${CidrIp}`)).toEqual([
      '22 203.0.113.7/32',
      '3128 10.0.0.0/16',
      '5000 10.0.0.0/16',
      '5000 203.0.113.7/32',
      '6001 10.0.0.0/16',
    ]);
    expect(Bastion.Properties.UserData['Fn::Base64']).toContain('sha512-');
    expect(Bastion.Properties.BlockDeviceMappings).toHaveLength(2);
  });

  test('warns of a port for everybody, and of a config nobody verifies', async () => {
    const { stderr } = await atoll(
      ...[...base, '--allow-from', '0.0.0.0/0', '--ignition-source', source],
    );

    expect(stderr).toContain('open to everybody');
    expect(stderr).toContain('whatever lies at the source');
  });

  test('refuses a port that is none, and a bastion for nobody', async () => {
    const network = ['--allow-from', '203.0.113.7/32'];

    expect((await atoll(...base, ...network, '--cache-port', 'x')).status).toBe(2);
    expect((await atoll(...base)).status).toBe(2);
  });
});

describe('render cloudformation credentials and render credentials', () => {
  test('make users, policies and Secrets that belong together', async () => {
    const at = await folder({ 'requests/a.yaml': REQUESTS_YAML, 'keys.json': KEYS });
    const requests = ['--requests', at('requests'), '--name', 'lab'];
    const stack = await atoll('cloudformation', 'credentials', ...requests);
    const policies = await atoll('credentials', 'policies', ...requests);
    const to = ['--keys', at('keys.json'), '--to', at('manifests')];
    const secrets = await atoll('credentials', 'secrets', ...requests, ...to);

    const users: string[] = JSON.parse(policies.stdout).map(({ user }: { user: string }) => user);
    expect(users).toEqual(['lab-openshift-ingress', 'lab-openshift-machine-api-aws']);
    for (const user of users) expect(stack.stdout).toContain(`UserName: ${user}\n`);
    const files = await readdir(at('manifests'));
    expect(files).toHaveLength(2);
    for (const file of files) {
      const path = join(at('manifests'), file);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(parse(await readFile(path, 'utf8')).stringData.aws_secret_access_key).toBe(SECRET);
    }
    expect(`${secrets.stdout}${secrets.stderr}`).not.toContain(SECRET);
  });

  test('print Secrets when that is asked for, and say what was left out', async () => {
    const at = await folder({ 'a.yaml': REQUESTS_YAML, 'keys.json': KEYS });
    const flags = ['--requests', at('a.yaml'), '--keys', at('keys.json'), '--name', 'lab'];
    const { stdout, stderr } = await atoll(
      ...['credentials', 'secrets', ...flags, '--disabled-capability', 'MachineAPI'],
    );

    expect(parse(stdout).metadata.namespace).toBe('openshift-ingress-operator');
    expect(stderr).toContain(
      'Left out openshift-machine-api-aws: the capability MachineAPI is off',
    );
    expect(stderr).toContain('No request uses the key of lab-openshift-machine-api-aws');
  });

  test('warn of whole services, and refuse requests without a key or for another cloud', async () => {
    const broad = REQUESTS_YAML.replace('"ec2:RunInstances"', '"ec2:*"');
    const at = await folder({ 'a.yaml': broad, 'keys.yaml': '{}' });
    const requests = ['--requests', at('a.yaml')];
    const stack = await atoll('cloudformation', 'credentials', ...requests, '--name', 'lab');
    const keys = await atoll('credentials', 'secrets', ...requests, '--keys', at('keys.yaml'));
    const other = await atoll(
      ...['credentials', 'secrets', ...requests, '--keys', at('keys.yaml'), '--cloud', 'nutanix'],
    );

    expect(stack.stderr).toContain('asks for whole services: ec2:*');
    expect([keys.status, keys.stderr]).toEqual([3, expect.stringContaining('Cannot find a key')]);
    expect([other.status, other.stderr]).toEqual([
      3,
      expect.stringContaining('Cannot find a request for NutanixProviderSpec'),
    ]);
  });
});

test('render aws-platform makes the platform file and the facts', async () => {
  const outputs = {
    VpcId: 'vpc-01234567',
    Zones: 'us-east-1a',
    PrivateSubnetIds: 'subnet-01234567',
    PrivateSubnetCidrs: '10.0.0.0/19',
  };
  const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({
    OutputKey,
    OutputValue,
  }));
  const at = await folder({ 'stack.json': JSON.stringify({ Stacks: [{ Outputs }] }) });
  const flags = ['--stack', at('stack.json'), '--region', 'us-east-1'];

  expect(parse((await atoll('aws-platform', ...flags)).stdout)).toEqual({
    type: 'aws',
    region: 'us-east-1',
    subnets: [{ id: 'subnet-01234567' }],
    zones: ['us-east-1a'],
  });
  expect(parse((await atoll('aws-platform', ...flags, '--facts')).stdout).vpcId).toBe(
    'vpc-01234567',
  );
});

test('render cloudformation takes from a site file what flags do not say', async () => {
  const at = await folder({
    'atoll.yaml': `name: north
mode: private
release: { version: 4.18.2 }
platform: { type: aws, region: us-east-1, cidr: 10.8.0.0/16, zones: [us-east-1b] }
bastion: { allowFrom: [203.0.113.7/32], ami: ami-0123456789abcdef0 }
registry: { host: mirror.north.example }
proxy: { enabled: true }
cluster: { name: north, baseDomain: example.com, pullSecret: pull-secret.json }
`,
  });
  const network = await atoll('cloudformation', 'network', '--site', at('atoll.yaml'));
  const bastion = await atoll('cloudformation', 'bastion', '--site', at('atoll.yaml'));

  expect([network.stderr, bastion.stderr]).toEqual(['', '']);
  const made = parse(network.stdout);
  expect(made.Resources.Vpc.Properties.CidrBlock).toBe('10.8.0.0/16');
  expect(made.Resources.HostedZone.Properties.Name).toBe('north.example.com');
  expect(made.Parameters.Zone1.Default).toBe('us-east-1b');
  const { Resources, Parameters } = parse(bastion.stdout);
  const rules: { FromPort: number }[] = Resources.SecurityGroup.Properties.SecurityGroupIngress;
  expect(rules.map(({ FromPort }) => FromPort)).toEqual([22, 3128, 5000]);
  expect(Resources.MirrorZone.Properties.Name).toBe('mirror.north.example');
  expect(Parameters.AmiId.Default).toBe('ami-0123456789abcdef0');
});
