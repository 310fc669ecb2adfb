import { join } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../../../core/files.ts';
import { registerSecret } from '../../../core/redact.ts';
import { toYaml } from '../../../core/yaml.ts';
import { credentialsTemplate } from '../../../generate/cloudformation/credentials.ts';
import { formatTemplate } from '../../../generate/cloudformation/template.ts';
import {
  type CredentialsRequest,
  readCredentialsRequests,
} from '../../../generate/credentials/credentials-request.ts';
import { secretFileName, secretManifests } from '../../../generate/credentials/secret-manifest.ts';
import { selectRequests } from '../../../generate/credentials/select-requests.ts';
import { userName } from '../../../generate/credentials/user-name.ts';
import { type Claim, NOTED_FILES } from '../../platform.ts';
import { EXTRA_MANIFESTS } from '../../shared/installer.ts';
import { textOf } from '../../shared/xml.ts';
import type { Aws } from '../client/aws.ts';
import { type AwsSite, regional, stackName } from '../network.ts';
import { removeKeys } from '../remove/remove-resource.ts';
import { applyStack } from '../stacks/apply-stack.ts';

/** Below the state: what operators ask for, as the release has it. */
const REQUESTS = NOTED_FILES[1];

export const isManual = ({ shape }: AwsSite) => shape.credentialsMode === 'Manual';

/** One user for each operator, with the rights it asks for and no key yet. */
export async function makeUsers(
  ctx: Context,
  aws: Aws,
  site: AwsSite,
  claim: Claim,
): Promise<void> {
  const texts = await site.shape.credentialsRequests(ctx, 'aws');
  const path = join(site.paths.state, REQUESTS);
  await writeFileAtomic(path, texts.map((text) => `---\n${text.trim()}\n`).join(''));
  const requests = await requestsOf(site);
  if (requests.length === 0) return;
  const name = stackName(site.name, 'credentials');
  await claim({ kind: 'cloudformation-stack', id: regional(aws.region, name), temporary: false });
  const template = credentialsTemplate({ site: site.name, tags: site.settings.tags, requests });
  await applyStack(ctx, aws, { name, site: site.name, template: formatTemplate(template) });
}

async function requestsOf({ paths, shape }: AwsSite): Promise<readonly CredentialsRequest[]> {
  const path = join(paths.state, REQUESTS);
  const text = (await readTextIfPresent(path)) ?? '';
  if (text.trim() === '') return [];
  return selectRequests(readCredentialsRequests(text, path), {
    kind: 'AWSProviderSpec',
    disabledCapabilities: shape.disabledCapabilities,
  }).selected;
}

/** Makes a key for each user and hands it to the installer as a Secret; nothing else ever holds it. */
export async function writeKeys(ctx: Context, aws: Aws, site: AwsSite): Promise<void> {
  const requests = await requestsOf(site);
  const keys = new Map<string, { accessKeyId: string; secretAccessKey: string }>();
  for (const { name } of requests) {
    const user = userName(site.name, name);
    keys.set(user, await newKey(ctx, aws, user));
  }
  const { secrets } = secretManifests(requests, keys, site.name);
  for (const secret of secrets) {
    const path = join(site.paths.install, EXTRA_MANIFESTS, 'manifests', secretFileName(secret));
    await writeFileAtomic(path, toYaml(secret), { mode: SECRET_MODE });
  }
}

/** Keys of a run that was interrupted are lost, and a user may have two only. */
async function newKey(ctx: Context, aws: Aws, user: string) {
  await removeKeys(ctx, aws, user);
  const answer = await aws.query(ctx, 'iam', 'CreateAccessKey', { UserName: user });
  const at = (field: string) => textOf(answer, 'CreateAccessKeyResult', 'AccessKey', field);
  const key = { accessKeyId: at('AccessKeyId'), secretAccessKey: at('SecretAccessKey') };
  registerSecret(key.secretAccessKey);
  return key;
}
