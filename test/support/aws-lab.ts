import { type Aws, connectAws } from '../../src/platform/aws/client/aws.ts';
import { type AwsProxy, type Mending, refusal, startAwsProxy } from './aws-proxy.ts';
import { awsQuery } from './aws-query.ts';
import { startMoto } from './moto.ts';

/** moto behind a proxy that can make calls fail, and a client that waits for nothing. */
export interface AwsLab {
  readonly proxy: AwsProxy;
  readonly aws: Aws;
  /** For a client in another process, or in a platform. */
  readonly env: Readonly<Record<string, string>>;
  /** Forgets everything that was made. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function startAwsLab(): Promise<AwsLab> {
  const moto = await startMoto();
  const proxy = await startAwsProxy(moto.url, changeSetsOf(moto.url));
  const env = {
    AWS_ENDPOINT_URL: proxy.url,
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'a-secret-of-the-test',
  };
  const keys = { accessKeyId: env.AWS_ACCESS_KEY_ID, secretAccessKey: env.AWS_SECRET_ACCESS_KEY };
  const aws = connectAws({
    region: 'us-east-1',
    env,
    keys: async () => keys,
    retry: { firstDelayMs: 1 },
  });
  await warm(moto.url);
  return {
    proxy,
    aws,
    env,
    async reset() {
      proxy.decide = () => 'pass';
      proxy.calls.length = 0;
      await fetch(`${moto.url}/moto-api/reset`, { method: 'POST' });
    },
    async stop() {
      aws.close();
      await proxy.stop();
      await moto.stop();
    },
  };
}

/**
 * moto makes the resources of a change set, but not the outputs of its stack: those it makes when a stack is
 * updated. A change set of the same token makes a second stack there; AWS knows it again.
 */
function changeSetsOf(url: string): Mending {
  const aws = awsQuery(url);
  const orders = new Map<string, Record<string, string>>();
  const tokenOf = (body: string) => new URLSearchParams(body).get('ClientToken') ?? '';
  return {
    before: ({ action, body }) =>
      action === 'CreateChangeSet' && orders.has(tokenOf(body))
        ? refusal('AlreadyExistsException', 'There is such a change set', 409)
        : undefined,
    async after({ action, body }) {
      if (action === 'CreateChangeSet') {
        orders.set(tokenOf(body), Object.fromEntries(new URLSearchParams(body)));
      }
      if (action !== 'ExecuteChangeSet') return;
      const set = new URLSearchParams(body).get('ChangeSetName') ?? '';
      const order = [...orders].find(([token]) => set.includes(token))?.[1];
      if (order)
        await aws.call('cloudformation', 'UpdateStack', { ...order, Action: 'UpdateStack' });
    },
  };
}

/** moto reads the code of a service at its first call, which takes seconds: not while a test runs. */
async function warm(url: string): Promise<void> {
  const aws = awsQuery(url);
  for (const service of [
    'cloudformation',
    'ec2',
    'iam',
    'sts',
    's3',
    'route53',
    'tagging',
    'elasticloadbalancing',
    'servicequotas',
  ]) {
    await aws.call(service, 'None').catch(() => undefined);
  }
}
