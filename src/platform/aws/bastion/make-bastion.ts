import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { readTextIfPresent, writeFileAtomic } from '../../../core/files.ts';
import { sleep } from '../../../core/retry.ts';
import { bastionTemplate } from '../../../generate/cloudformation/bastion.ts';
import type { StackOutputs } from '../../../generate/cloudformation/stack-outputs.ts';
import { formatTemplate } from '../../../generate/cloudformation/template.ts';
import { bastionIgnition } from '../../../generate/ignition/bastion.ts';
import { formatIgnition } from '../../../generate/ignition/config.ts';
import { verificationHash } from '../../../generate/ignition/user-data.ts';
import type { Claim } from '../../platform.ts';
import { textOf } from '../../shared/xml.ts';
import { putObject, removeObject } from '../bucket.ts';
import type { Aws } from '../client/aws.ts';
import { awsNameOf } from '../client/failure.ts';
import { type AwsSite, madeNetwork, regional, stackName } from '../network.ts';
import { bastionStackInput } from '../stack-inputs.ts';
import { applyStack } from '../stacks/apply-stack.ts';
import { findStack } from '../stacks/stack-state.ts';
import { bootImage } from './boot-image.ts';
import { type ConsolePin, consolePin } from './console-keys.ts';

/** What is remembered of a bastion: its console forgets, and Ignition runs once. */
const memory = z.object({
  instance: z.string(),
  ami: z.string(),
  ignition: z.string(),
  pin: z.union([
    z.object({ keys: z.array(z.string()) }),
    z.object({ fingerprints: z.array(z.string()) }),
  ]),
});
type Memory = z.output<typeof memory>;
const MEMORY = 'bastion.json';

/** A bastion that was made, and how its answers are known to be its own. */
export interface MadeBastion {
  readonly address: string;
  readonly pin: ConsolePin;
  /** Takes away what it booted from. */
  readonly booted: () => Promise<void>;
}

/** Makes the bastion as a stack, or finds it as it was made. */
export async function makeBastion(
  ctx: Context,
  aws: Aws,
  site: AwsSite,
  claim: Claim,
): Promise<MadeBastion> {
  const network = await madeNetwork(site);
  const name = stackName(site.name, 'bastion');
  const before = await remembered(ctx, aws, site, name);
  const config = await ignitionOf(site);
  const hash = before?.ignition ?? verificationHash(config);
  if (hash !== verificationHash(config)) tellTooLate(ctx);
  const ami = site.shape.bastion.ami ?? before?.ami ?? (await releaseImage(ctx, aws, site));
  // A private site needs it for the install alone; in a disconnected one it is the mirror.
  const temporary = !site.disconnected;
  const object = { bucket: bucketOf(network), key: `${site.name}/bastion.ign` };
  if (!before) {
    const id = objectId(aws, object);
    await claim({ kind: 's3-object', id, temporary, lifetime: 'install' });
    await putObject(ctx, aws, { ...object, body: config });
  }
  await claim({ kind: 'cloudformation-stack', id: regional(aws.region, name), temporary });
  const template = templateOf(site, network, { ...object, hash });
  const parameters = { ...placeOf(site, network), AmiId: ami };
  const outputs = await applyStack(ctx, aws, { name, site: site.name, template, parameters });
  const { InstanceId: instance = '' } = outputs;
  const pin = before?.instance === instance ? before.pin : await shownPin(ctx, aws, instance);
  await remember(site, { instance, ami, ignition: hash, pin: pin as Memory['pin'] });
  return {
    address: outputs.PublicIp ?? outputs.PrivateIp ?? '',
    pin,
    booted: () => removeObject(ctx, aws, object),
  };
}

const objectId = (aws: Pick<Aws, 'region'>, { bucket, key }: { bucket: string; key: string }) =>
  regional(aws.region, `${bucket}/${key}`);

function bucketOf({ IgnitionBucket }: StackOutputs): string {
  if (IgnitionBucket) return IgnitionBucket;
  throw new AtollError('INPUT_INVALID', 'Cannot make the bastion: its network has no bucket', {
    hint: 'Make the network again, with one: atoll up --only infrastructure',
  });
}

async function ignitionOf({ name, shape }: AwsSite): Promise<string> {
  const { user, authorizedKeys } = shape.bastion;
  const users = [{ name: user, sshAuthorizedKeys: await authorizedKeys() }];
  return formatIgnition(bastionIgnition({ hostname: `${name}-bastion`, users }));
}

function tellTooLate(ctx: Context): void {
  ctx.emit({
    type: 'warning.raised',
    subject: 'bastion',
    message:
      'The keys or the user of the bastion have changed, which counts at its first boot only',
    hint: 'Change them on the bastion itself, or make it anew: atoll down, then atoll up',
  });
}

async function releaseImage(ctx: Context, aws: Aws, { shape }: AwsSite): Promise<string> {
  const manifests = await shape.releaseManifests(ctx);
  return bootImage(manifests, { architecture: shape.architecture, region: aws.region });
}

function templateOf(
  site: AwsSite,
  network: StackOutputs,
  { bucket, key, hash }: { bucket: string; key: string; hash: string },
): string {
  const input = bastionStackInput(site);
  const clients = [network.VpcCidr ?? site.shape.machineNetwork];
  return formatTemplate(
    bastionTemplate({
      ...input,
      access: { ...input.access, clients },
      ignition: { source: `s3://${bucket}/${key}`, hash },
    }),
  );
}

function placeOf({ settings }: AwsSite, network: StackOutputs): Record<string, string> {
  const outside = settings.publicAddress === false ? undefined : network.PublicSubnetIds;
  const [first = ''] = (outside ?? network.PrivateSubnetIds ?? '').split(',');
  return { VpcId: network.VpcId ?? '', SubnetId: settings.bastionSubnet ?? first };
}

/** Of a machine that is no more, nothing is remembered. */
async function remembered(
  ctx: Context,
  aws: Aws,
  { paths }: AwsSite,
  stack: string,
): Promise<Memory | undefined> {
  const found = await findStack(ctx, aws, stack);
  if (!/^(?:CREATE|UPDATE)_.*COMPLETE/.test(found?.status ?? '')) return undefined;
  const text = await readTextIfPresent(join(paths.state, MEMORY));
  return text === undefined ? undefined : memory.safeParse(JSON.parse(text)).data;
}

async function remember({ paths }: AwsSite, about: Memory): Promise<void> {
  await writeFileAtomic(join(paths.state, MEMORY), `${JSON.stringify(about, null, 2)}\n`);
}

const CONSOLE_POLL_MS = 10_000;
const CONSOLE_POLLS = 90;

/** The host keys of a new machine, from its console: nobody in between can write there. */
async function shownPin(ctx: Context, aws: Aws, instance: string): Promise<ConsolePin> {
  ctx.emit({
    type: 'note.added',
    message: `Waiting for ${instance} to show its host keys on its console`,
  });
  for (let polls = 0; polls < CONSOLE_POLLS; polls += 1) {
    const pin = consolePin(await consoleOf(ctx, aws, instance));
    if (pin) return pin;
    await sleep(ctx, CONSOLE_POLL_MS);
  }
  throw new AtollError('TIMED_OUT', `Cannot trust the bastion: ${instance} has shown no host key`, {
    hint: `Look at what it says: aws ec2 get-console-output --latest --output text --instance-id ${instance}`,
    details: { instance },
  });
}

/** Older kinds of machines have no console of the moment, only that of the last boot. */
async function consoleOf(ctx: Context, aws: Aws, instance: string): Promise<string> {
  const ask = (fields: object) =>
    aws.query(ctx, 'ec2', 'GetConsoleOutput', { InstanceId: instance, ...fields });
  const answer = await ask({ Latest: true }).catch((error: unknown) => {
    if (awsNameOf(error) === 'UnsupportedOperation') return ask({});
    throw error;
  });
  return Buffer.from(textOf(answer, 'output'), 'base64').toString('utf8');
}
