import * as z from 'zod';

// The format of openshift/release's ci-operator/step-registry. Unknown fields are refused, as the
// CI itself does: a misspelled one would silently do nothing.

/** Go's decoder turns bare scalars into text where text is wanted; so do we. */
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** `1h30m`, `45s`, `1.5h`. */
const DURATION = /^(?:\d+(?:\.\d+)?(?:h|ms|us|ns|m|s))+$/;
/** A bare number counts nanoseconds: what Go's decoder makes of it. */
const duration = z.union([
  z.string().regex(DURATION, 'not a duration such as "1h30m"'),
  z.number().transform((nanoseconds) => `${nanoseconds / 1e6}ms`),
]);

/** Names become those of folders and files. */
const name = z.string().regex(/^[A-Za-z0-9][\w.-]*$/, 'not a name of letters, digits and dashes');

const parameter = z.strictObject({
  name: z.string().min(1),
  default: text.nullish(),
  documentation: z.string().nullish(),
});

const credential = z.strictObject({
  as: z.string().optional(),
  bundle: z.string().optional(),
  collection: z.string().optional(),
  group: z.string().optional(),
  field: z.string().optional(),
  mount_path: z.string(),
  namespace: z.string().optional(),
  name: z.string().optional(),
});

const lease = z.strictObject({
  resource_type: z.string(),
  env: z.string(),
  count: z.number().int().optional(),
});

const imageTag = z.strictObject({
  namespace: z.string().optional(),
  name: z.string(),
  tag: text,
  as: z.string().optional(),
});

const resources = z.strictObject({
  requests: z.record(z.string(), text).nullish(),
  limits: z.record(z.string(), text).nullish(),
});

const dnsConfig = z.strictObject({
  nameservers: z.array(z.string()).nullish(),
  searches: z.array(z.string()).nullish(),
});

const runnable = {
  from: text.optional(),
  from_image: imageTag.optional(),
  commands: z.string().optional(),
  resources: resources.nullish(),
  timeout: duration.optional(),
  grace_period: duration.optional(),
  env: z.array(parameter).nullish(),
};

const literal = {
  ...runnable,
  as: name,
  nested_podman: z.boolean().optional(),
  credentials: z.array(credential).nullish(),
  dependencies: z.array(z.strictObject({ name: z.string(), env: z.string() })).nullish(),
  dnsConfig: dnsConfig.optional(),
  leases: z.array(lease).nullish(),
  optional_on_success: z.boolean().optional(),
  best_effort: z.boolean().optional(),
  no_kubeconfig: z.boolean().optional(),
  cli: z.string().optional(),
  observers: z.array(z.string()).nullish(),
  run_as_script: z.boolean().optional(),
  node_architecture: z.string().optional(),
};

const literalStep = z.strictObject(literal);
/** The CI accepts fields beside `ref` and `chain`, and ignores them: the reader says so. */
const beside = z.strictObject(literal).partial().shape;
const testStep = z.union(
  [
    z.strictObject({ ...beside, ref: z.string() }),
    z.strictObject({ ...beside, chain: z.string() }),
    literalStep,
  ],
  { error: 'neither a "ref", nor a "chain", nor a step of its own with "as"' },
);

export const refFile = z.strictObject({
  ref: z.strictObject({ ...literal, documentation: z.string().nullish() }),
});

export const chainFile = z.strictObject({
  chain: z.strictObject({
    as: name,
    steps: z.array(testStep).nullish(),
    documentation: z.string().nullish(),
    env: z.array(parameter).nullish(),
    leases: z.array(lease).nullish(),
  }),
});

export const workflowFile = z.strictObject({
  workflow: z.strictObject({
    as: name,
    documentation: z.string().nullish(),
    steps: z.strictObject({
      cluster_profile: z.string().optional(),
      pre: z.array(testStep).nullish(),
      test: z.array(testStep).nullish(),
      post: z.array(testStep).nullish(),
      workflow: z.string().optional(),
      env: z.record(z.string(), text).nullish(),
      dependencies: z.record(z.string(), z.string()).nullish(),
      dependency_overrides: z.record(z.string(), z.string()).nullish(),
      dnsConfig: dnsConfig.optional(),
      leases: z.array(lease).nullish(),
      allow_skip_on_success: z.boolean().optional(),
      allow_best_effort_post_steps: z.boolean().optional(),
      observers: z
        .strictObject({
          enable: z.array(z.string()).nullish(),
          disable: z.array(z.string()).nullish(),
        })
        .optional(),
      node_architecture: z.string().optional(),
      node_architecture_overrides: z.record(z.string(), z.string()).nullish(),
    }),
  }),
});

export const observerFile = z.strictObject({
  observer: z.strictObject({
    ...runnable,
    name: z.string().min(1),
    documentation: z.string().nullish(),
  }),
});

export type Parameter = z.output<typeof parameter>;
export type LiteralStep = z.output<typeof literalStep> & {
  readonly documentation?: string | null | undefined;
};
export type StepEntry = z.output<typeof testStep>;
export type Chain = z.output<typeof chainFile>['chain'];
export type RegistryWorkflow = z.output<typeof workflowFile>['workflow'];
export type Observer = z.output<typeof observerFile>['observer'];

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration as Go writes it, which the schema has already checked. */
export function durationMs(duration: string): number {
  let total = 0;
  for (const [, number, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ms|us|ns|[hms])/g)) {
    total += Number(number) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return total;
}
