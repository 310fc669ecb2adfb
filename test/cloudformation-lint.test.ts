import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bastionTemplate } from '../src/generate/cloudformation/bastion.ts';
import { credentialsTemplate } from '../src/generate/cloudformation/credentials.ts';
import { networkTemplate } from '../src/generate/cloudformation/network.ts';
import { formatTemplate } from '../src/generate/cloudformation/template.ts';
import { BASTIONS, NETWORKS, REQUESTS } from './support/cloudformation.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';
import { tempDir } from './support/temp.ts';
import { covering, looseEnds, nodesOf } from './support/template-check.ts';

const run = promisify(execFile);
const boundary = 'arn:aws:iam::123456789012:policy/boundary';
const TEMPLATES = [
  ...NETWORKS.map(networkTemplate),
  ...BASTIONS.map(bastionTemplate),
  credentialsTemplate({ site: 'lab', requests: REQUESTS }),
  credentialsTemplate({ site: 'lab', requests: REQUESTS, keys: 'secrets-manager' }),
  credentialsTemplate({ site: 'lab', requests: REQUESTS, permissionsBoundary: boundary }),
];

/** What cfn-lint says about each file. One start for all: starting is what takes it long. */
async function lint(files: Readonly<Record<string, string>>): Promise<string[]> {
  const dir = await tempDir();
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  const program = peerPath('cfn-lint') ?? 'cfn-lint';
  const paths = Object.keys(files).map((name) => join(dir, name));
  const args = ['--format', 'parseable', '--include-checks', 'I', '--', ...paths];
  const report = await run(program, args).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return `${report.stderr}${report.stdout}`
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(`${dir}/`, ''));
}

test('templates of every combination refer only to what is in them, and use every parameter', () => {
  expect(TEMPLATES.length).toBeGreaterThan(500);
  expect(TEMPLATES.flatMap(looseEnds)).toEqual([]);
});

test('templates of every combination grant no action with a star', () => {
  const granting = TEMPLATES.flatMap(({ Resources }) =>
    Object.values(Resources).filter(({ Type }) => Type.startsWith('AWS::IAM::')),
  );
  const actions = nodesOf(granting).flatMap(
    (node) => (node as { Action?: string | readonly string[] } | null)?.Action ?? [],
  );

  expect(actions.length).toBeGreaterThan(100);
  expect(actions.filter((action) => action.includes('*'))).toEqual([]);
});

describeWithPeers(['cfn-lint'], 'cfn-lint', () => {
  // With the references checked above, what is left to lint is each resource, parameter and output
  // in each of its forms. ATOLL_LINT_ALL=1 lints every combination as it is.
  const chosen = process.env.ATOLL_LINT_ALL === '1' ? TEMPLATES : covering(TEMPLATES);

  test('finds nothing, not even advice, but what is wrong on purpose', async () => {
    const texts = [...new Set(chosen.map(formatTemplate))];
    const files = Object.fromEntries(texts.map((text, index) => [`${index}.yaml`, text]));
    const broken = texts[0]?.replace('CidrBlock:', 'CidrBlok:') ?? '';

    const report = await lint({ ...files, 'broken.yaml': broken });

    expect(report.filter((line) => !line.startsWith('broken.yaml'))).toEqual([]);
    expect(report.join()).toContain('CidrBlok');
  }, 600_000);
});
