import { type Aws, connectAws } from '../../src/platform/aws/client/aws.ts';
import { type AwsProxy, startAwsProxy } from './aws-proxy.ts';
import { awsQuery } from './aws-query.ts';
import { startMoto } from './moto.ts';
import { motoMending } from './moto-mending.ts';

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
  const proxy = await startAwsProxy(moto.url, motoMending(moto.url));
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
