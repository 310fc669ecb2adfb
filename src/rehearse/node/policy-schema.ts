import * as z from 'zod';

// Nodes refuse a policy with a key they do not know, and then every image: hence strict objects.

const identity = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('matchExact') }),
  z.strictObject({ type: z.literal('matchRepoDigestOrExact') }),
  z.strictObject({ type: z.literal('matchRepository') }),
  z.strictObject({ type: z.literal('exactReference'), dockerReference: z.string() }),
  z.strictObject({ type: z.literal('exactRepository'), dockerRepository: z.string() }),
  z.strictObject({
    type: z.literal('remapIdentity'),
    prefix: z.string(),
    signedPrefix: z.string(),
  }),
]);

const texts = z.array(z.string()).min(1);
const gpgKeys = {
  keyPath: z.string().optional(),
  keyPaths: texts.optional(),
  keyData: z.string().optional(),
};
const sigstoreKeys = {
  ...gpgKeys,
  keyDatas: texts.optional(),
  fulcio: z.looseObject({}).optional(),
  pki: z.looseObject({}).optional(),
};
const rekorKeys = {
  rekorPublicKeyPath: z.string().optional(),
  rekorPublicKeyPaths: texts.optional(),
  rekorPublicKeyData: z.string().optional(),
  rekorPublicKeyDatas: texts.optional(),
};

/** Exactly one of these keys must be there. */
function oneOf(names: readonly string[]) {
  const isOne = (value: object) =>
    names.filter((name) => value[name as keyof typeof value] !== undefined).length === 1;
  return [isOne, { message: `exactly one of ${names.join(', ')} must be there` }] as const;
}

const requirement = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('insecureAcceptAnything') }),
  z.strictObject({ type: z.literal('reject') }),
  z
    .strictObject({
      type: z.literal('signedBy'),
      keyType: z.literal('GPGKeys'),
      ...gpgKeys,
      signedIdentity: identity.optional(),
    })
    .refine(...oneOf(Object.keys(gpgKeys))),
  z.strictObject({ type: z.literal('signedBaseLayer'), baseLayerIdentity: identity }),
  z
    .strictObject({
      type: z.literal('sigstoreSigned'),
      ...sigstoreKeys,
      ...rekorKeys,
      signedIdentity: identity.optional(),
    })
    .refine(...oneOf(Object.keys(sigstoreKeys))),
]);

const requirements = z.array(requirement).min(1);

/** containers-policy.json(5), as strict as nodes read it. */
export const policySchema = z.strictObject({
  default: requirements,
  transports: z.record(z.string(), z.record(z.string(), requirements)).optional(),
});

/** One thing that must be true of an image before a node takes it. */
export type PolicyRequirement = z.infer<typeof requirement>;
export type SigstoreSigned = Extract<PolicyRequirement, { readonly type: 'sigstoreSigned' }>;
export type SignedIdentity = z.infer<typeof identity>;

/** Whether nodes also ask for an entry in a transparency log. */
export function asksRekor(signed: SigstoreSigned): boolean {
  return Object.keys(rekorKeys).some((name) => name in signed);
}
