import { sortedRecord } from '../core/order.ts';

/** What must be true of an image below a scope before it may be pulled. */
export type Trust =
  | { readonly type: 'accept' }
  | { readonly type: 'reject' }
  | { readonly type: 'gpg'; readonly keyPath: string }
  | { readonly type: 'sigstore'; readonly keyPath: string; readonly signedAs?: string };

export interface PolicyInput {
  /** What holds for images no scope names; `accept` as on every node. */
  readonly default?: Trust | undefined;
  /** Registry, namespace, repository or `*.domain` to its rule. */
  readonly scopes?: Readonly<Record<string, Trust>> | undefined;
}

/** `/etc/containers/policy.json`. Images already on the machine are always accepted. */
export function policyJson(input: PolicyInput = {}): string {
  const scopes = Object.entries(input.scopes ?? {}).map(
    ([scope, trust]) => [scope, [requirement(trust)]] as const,
  );
  const policy = {
    default: [requirement(input.default ?? { type: 'accept' })],
    transports: {
      docker: sortedRecord(Object.fromEntries(scopes)),
      'docker-daemon': { '': [requirement({ type: 'accept' })] },
    },
  };
  return `${JSON.stringify(policy, undefined, 2)}\n`;
}

function requirement(trust: Trust): Record<string, unknown> {
  switch (trust.type) {
    case 'accept':
      return { type: 'insecureAcceptAnything' };
    case 'reject':
      return { type: 'reject' };
    case 'gpg':
      return { type: 'signedBy', keyType: 'GPGKeys', keyPath: trust.keyPath };
    case 'sigstore':
      return {
        type: 'sigstoreSigned',
        keyPath: trust.keyPath,
        // Cosign signs the name of a repository, without a tag: nodes can compare nothing else. Where
        // the image has another name than the one that was signed, that one is given.
        signedIdentity: trust.signedAs
          ? { type: 'exactRepository', dockerRepository: trust.signedAs }
          : { type: 'matchRepository' },
      };
  }
}
