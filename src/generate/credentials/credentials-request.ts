import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { byText } from '../../core/order.ts';
import { readYaml } from '../../core/yaml.ts';

/** One thing an operator wants to do in the cloud. */
export interface StatementEntry {
  readonly effect: 'Allow' | 'Deny';
  readonly action: readonly string[];
  readonly resource: string;
  readonly condition?: Readonly<Record<string, unknown>> | undefined;
}

/** What an operator of the cluster asks of the cloud, and the Secret it will read. */
export interface CredentialsRequest {
  readonly name: string;
  /** Such as `AWSProviderSpec`. */
  readonly kind: string;
  readonly secret: SecretName;
  /** Empty for clouds that know no statements. */
  readonly statements: readonly StatementEntry[];
  readonly annotations: Readonly<Record<string, string>>;
}

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

const text = z.string().min(1);
const statement = z.strictObject({
  effect: z.enum(['Allow', 'Deny']),
  action: z.array(text).min(1),
  resource: text,
  policyCondition: z.record(z.string(), z.unknown()).optional(),
});
const schema = z.looseObject({
  metadata: z.looseObject({
    name: text,
    annotations: z.record(z.string(), z.string()).nullish(),
  }),
  spec: z.looseObject({
    secretRef: z.looseObject({ name: text, namespace: text }),
    providerSpec: z.looseObject({
      kind: text,
      statementEntries: z.array(statement).nullish(),
    }),
  }),
});

/** Every CredentialsRequest of a text. Other objects in it are a mistake: they would be lost. */
export function readCredentialsRequests(source: string, file: string): CredentialsRequest[] {
  return readYaml(source, `"${file}"`).map((document, index) => {
    const kind = (document as { kind?: unknown } | null)?.kind;
    if (kind !== 'CredentialsRequest') {
      throw wrong(file, index, `it is ${typeof kind === 'string' ? `a ${kind}` : 'no object'}`);
    }
    const parsed = schema.safeParse(document);
    if (parsed.success) return requestOf(parsed.data);
    const [issue] = parsed.error.issues;
    throw wrong(file, index, `${issue?.path.join('.')}: ${issue?.message}`);
  });
}

function requestOf({ metadata, spec }: z.output<typeof schema>): CredentialsRequest {
  const { kind, statementEntries } = spec.providerSpec;
  return {
    name: metadata.name,
    kind,
    secret: { namespace: spec.secretRef.namespace, name: spec.secretRef.name },
    statements: (statementEntries ?? []).map(({ policyCondition, ...rest }) => ({
      ...rest,
      condition: policyCondition,
    })),
    annotations: metadata.annotations ?? {},
  };
}

function wrong(file: string, index: number, what: string): AtollError {
  return new AtollError(
    'INPUT_INVALID',
    `Cannot use document ${index + 1} of "${file}" as a CredentialsRequest: ${what}`,
    {
      hint: 'Take the files of "atoll release extract --credentials-requests --cloud aws"',
      details: { file },
    },
  );
}

/** By name, each once: the same set in another order gives the same files. */
export function orderedRequests(requests: readonly CredentialsRequest[]): CredentialsRequest[] {
  const ordered = requests.toSorted((a, b) => byText(a.name, b.name));
  const names = ordered.map(({ name }) => name);
  const secrets = ordered.map(({ secret }) => secretKey(secret));
  const twice = repeated(names) ?? repeated(secrets);
  if (twice === undefined) return ordered;
  throw new AtollError('INPUT_INVALID', `Cannot serve two requests for "${twice}"`, {
    hint: 'Give the requests of one release, each file once',
  });
}

const repeated = (values: readonly string[]) =>
  values.find((value, index) => values.indexOf(value) < index);

/** `namespace/name`. */
export const secretKey = ({ namespace, name }: SecretName): string => `${namespace}/${name}`;
