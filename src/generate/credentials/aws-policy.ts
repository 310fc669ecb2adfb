import type { PolicyDocument, PolicyStatement } from './iam-policy.ts';

// What whoever runs atoll and the installer needs of an account, and no more. Actions that only look have no resource of
// their own; what is made is bounded by name where IAM can do that before the thing exists.

/** A statement, its actions in order. */
export const allow = (Action: readonly string[], Resource: string | readonly string[]) => ({
  Effect: 'Allow' as const,
  Action: Action.toSorted(),
  Resource,
});

export const policyOf = (...statements: readonly ReturnType<typeof allow>[]): AwsPolicy => ({
  Version: '2012-10-17',
  Statement: statements,
});

/** A policy whose statements may name several resources. */
export interface AwsPolicy extends Pick<PolicyDocument, 'Version'> {
  readonly Statement: readonly (Omit<PolicyStatement, 'Resource'> & {
    readonly Resource: string | readonly string[];
  })[];
}
