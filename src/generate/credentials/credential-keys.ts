import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { readYaml } from '../../core/yaml.ts';
import { type CredentialsRequest, secretKey } from './credentials-request.ts';
import { userName } from './user-name.ts';

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** What goes into a Secret, by the name of the IAM user, the request, or `namespace/name` of the Secret. */
export type CredentialKeys = ReadonlyMap<string, AccessKey | Login>;

const text = z.string().min(1);
const accessKey = z.strictObject({ accessKeyId: text, secretAccessKey: text });
const login = z.strictObject({ username: text, password: text });
const byName = z.record(z.string(), z.union([accessKey, login]));
/** What `aws iam create-access-key` prints. */
const printed = z.strictObject({
  AccessKey: z.looseObject({ UserName: text, AccessKeyId: text, SecretAccessKey: text }),
});

/**
 * Reads keys: YAML or JSON by name, or what `aws iam create-access-key` printed, one after the other.
 * Errors say where, never what.
 */
export function readCredentialKeys(source: string, file: string): CredentialKeys {
  const separated = source.replaceAll(/\}\s*\n(?=\{)/g, '}\n---\n');
  const entries = readYaml(separated, `"${file}"`).flatMap((document, index) => {
    const one = printed.safeParse(document);
    if (one.success) return [printedEntry(one.data)];
    const many = byName.safeParse(document);
    if (many.success) return Object.entries(many.data);
    throw unreadable(file, index);
  });
  return new Map(entries);
}

function printedEntry({ AccessKey }: z.output<typeof printed>): [string, AccessKey] {
  const { UserName, AccessKeyId, SecretAccessKey } = AccessKey;
  return [UserName, { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey }];
}

function unreadable(file: string, index: number): AtollError {
  return new AtollError(
    'INPUT_INVALID',
    `Cannot read keys from document ${index + 1} of "${file}"`,
    {
      hint:
        'Write NAME: {accessKeyId: …, secretAccessKey: …} (Nutanix: username and password), ' +
        'or keep what "aws iam create-access-key" prints',
      details: { file },
    },
  );
}

/** The names under which a request finds its key, best first. */
export function keyNames(site: string | undefined, { name, secret }: CredentialsRequest): string[] {
  return [...(site === undefined ? [] : [userName(site, name)]), secretKey(secret), name];
}
