import { AtollError } from '../../core/errors.ts';
import { sortedUnique } from '../../core/order.ts';
import type { CredentialsRequest, StatementEntry } from './credentials-request.ts';

export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: string;
  readonly Condition?: Readonly<Record<string, unknown>>;
}

/** What IAM takes in one managed policy, blanks not counted, and how many on one user. */
const MAX_CHARACTERS = 6144;
const MAX_POLICIES = 10;

/** The policies of one request: exactly what it asks for. More than one only where IAM has no room. */
export function policyDocuments(request: CredentialsRequest): PolicyDocument[] {
  if (request.statements.length === 0) {
    throw new AtollError('INPUT_INVALID', `Cannot make a policy for "${request.name}"`, {
      hint: 'It asks for nothing: spec.providerSpec.statementEntries is empty',
    });
  }
  const documents = packed(request.statements.map(statementOf).flatMap(fitting));
  if (documents.length <= MAX_POLICIES) return documents;
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot grant what "${request.name}" asks for: it needs ${documents.length} policies, and a user takes ${MAX_POLICIES}`,
    { hint: 'Use roles (ccoctl) for this cluster' },
  );
}

/** Actions that give a whole service or everything: worth a look before they are granted. */
export function broadActions(request: CredentialsRequest): string[] {
  const allowed = request.statements.filter(({ effect }) => effect === 'Allow');
  return sortedUnique(allowed.flatMap(({ action }) => action)).filter((action) =>
    /^(?:\*|[^:]+:\*)$/.test(action),
  );
}

function statementOf({ effect, action, resource, condition }: StatementEntry): PolicyStatement {
  return {
    Effect: effect,
    Action: sortedUnique(action),
    Resource: resource,
    ...(condition ? { Condition: condition } : {}),
  };
}

const documentOf = (statements: readonly PolicyStatement[]): PolicyDocument => ({
  Version: '2012-10-17',
  Statement: statements,
});

const fits = (statements: readonly PolicyStatement[]): boolean =>
  JSON.stringify(documentOf(statements)).length <= MAX_CHARACTERS;

/** A statement too long for any policy becomes several with fewer actions, which mean the same. */
function fitting(statement: PolicyStatement): PolicyStatement[] {
  const { Action: actions } = statement;
  if (fits([statement]) || actions.length < 2) return [statement];
  const middle = Math.ceil(actions.length / 2);
  return [actions.slice(0, middle), actions.slice(middle)].flatMap((Action) =>
    fitting({ ...statement, Action }),
  );
}

function packed(statements: readonly PolicyStatement[]): PolicyDocument[] {
  const documents: PolicyStatement[][] = [];
  for (const statement of statements) {
    const last = documents.at(-1);
    if (last && fits([...last, statement])) last.push(statement);
    else documents.push([statement]);
  }
  return documents.map(documentOf);
}
