import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { AtollError, messageOf } from '../../../core/errors.ts';
import { registerSecret } from '../../../core/redact.ts';
import type { CloudLogin } from '../../platform.ts';
import type { AwsKeys } from './sign.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Gives the keys of the moment; `fresh` asks their source again. */
export type KeySource = (fresh: boolean) => Promise<AwsKeys>;

/** Asking the metadata service of a machine that is not at AWS must not take minutes. */
const METADATA = { timeout: 1000, maxRetries: 0 };

/** The usual chain: environment, shared files, SSO, processes, web identity, the machine's role. */
export function usualKeys(region: string): KeySource {
  // The SDK would write to stderr that it wants a newer Node; that is not the operator's business.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const provider = defaultProvider({ ...METADATA, clientConfig: { region } });
  return async (fresh) => {
    try {
      const keys = await provider({ forceRefresh: fresh });
      registerSecret(keys.secretAccessKey);
      if (keys.sessionToken) registerSecret(keys.sessionToken);
      return keys;
    } catch (cause) {
      throw noKeys(cause);
    }
  };
}

function noKeys(cause: unknown): AtollError {
  return new AtollError(
    'CLOUD_CREDENTIALS',
    `Cannot log in to AWS: found no usable credentials (${messageOf(cause)})`,
    {
      hint: 'Log in ("aws sso login", "aws configure"), or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      cause,
    },
  );
}

/** Keys as a file of the AWS tools, which the installer reads, too. They are worth as long as they are here. */
export function cloudLogin(region: string, keys: AwsKeys, env: Env = process.env): CloudLogin {
  const fields = {
    aws_access_key_id: keys.accessKeyId,
    aws_secret_access_key: keys.secretAccessKey,
    aws_session_token: keys.sessionToken,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : `${name} = ${value}`,
  );
  const endpoints = Object.entries(env).filter(([name]) => name.startsWith('AWS_ENDPOINT_URL'));
  const said = endpoints.map(([name, value = '']) => [name, value] as const);
  return {
    text: `[default]\n${lines.join('\n')}\n`,
    env: (path) => ({
      ...Object.fromEntries(said),
      AWS_SHARED_CREDENTIALS_FILE: path,
      AWS_REGION: region,
    }),
  };
}
