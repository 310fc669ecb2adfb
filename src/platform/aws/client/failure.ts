import type { ErrorCode } from '../../../core/error-codes.ts';
import { AtollError } from '../../../core/errors.ts';
import { readXml, textOf, under } from '../../shared/xml.ts';
import { type AwsService, permissionOf } from './services.ts';

/** What was asked of AWS, for messages and details. */
export interface AwsCall {
  readonly service: AwsService;
  readonly action: string;
}

export interface AwsAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Kind {
  readonly code: ErrorCode;
  /** Names that AWS gives such failures. */
  readonly names: RegExp;
  readonly hint: string;
}

const KINDS: readonly Kind[] = [
  {
    code: 'CLOUD_CREDENTIALS',
    names: /^(?:ExpiredToken(?:Exception)?|RequestExpired|TokenRefreshRequired)$/,
    hint: 'The credentials have expired: log in again ("aws sso login"), or renew the session token',
  },
  {
    code: 'CLOUD_CREDENTIALS',
    names: /^(?:RequestTimeTooSkewed|RequestInTheFuture)$/,
    hint: 'Set the clock of this machine: AWS takes only requests of the last minutes',
  },
  {
    code: 'CLOUD_CREDENTIALS',
    names:
      /^(?:InvalidClientTokenId|AuthFailure|SignatureDoesNotMatch|UnrecognizedClientException|InvalidAccessKeyId|MissingAuthenticationToken(?:Exception)?|IncompleteSignature(?:Exception)?|NotAuthorized|InvalidToken)$/,
    hint: 'AWS does not know these credentials: check which ones are used ("aws sts get-caller-identity"), and that the region is switched on for the account',
  },
  {
    code: 'CLOUD_CREDENTIALS',
    names: /^(?:OptInRequired|SubscriptionRequired(?:Exception)?)$/,
    hint: 'Switch the region or service on for the account, or use another region',
  },
  {
    code: 'CLOUD_QUOTA',
    names: /(?:LimitExceeded(?:Exception)?|QuotaExceeded(?:Exception)?|TooManyBuckets)$/,
    hint: 'Ask for more of it in the Service Quotas of the account, or remove what is no longer used',
  },
  {
    code: 'CLOUD_THROTTLED',
    names:
      /^(?:Throttl\w*|Throttled\w*|RequestLimitExceeded|RequestThrottled\w*|TooManyRequests\w*|SlowDown|PriorRequestNotComplete|BandwidthLimitExceeded)$/,
    hint: 'AWS asked us to slow down: wait a minute and run the same command again',
  },
  {
    code: 'CLOUD_UNAVAILABLE',
    names:
      /^(?:Internal(?:Error|Failure|ServerError)|ServiceUnavailable\w*|Unavailable|RequestTimeout\w*)$/,
    hint: 'Run the same command again; if it stays so, look at the health page of AWS',
  },
];

const DENIED =
  /^(?:AccessDenied(?:Exception)?|UnauthorizedOperation|AuthorizationError(?:Exception)?|UnauthorizedException|Client\.UnauthorizedOperation)$/;

/** The failure an answer stands for, with a code to branch on and what to do about it. */
export function awsFailure(call: AwsCall, answer: AwsAnswer): AtollError {
  const { name, words } = said(answer);
  if (DENIED.test(name) || (answer.status === 403 && name === '')) return deniedError(call, words);
  const kind = kindOf(name, answer.status);
  return new AtollError(
    kind.code,
    `Cannot do ${permissionOf(call.service, call.action)}: ${[name, words].filter(Boolean).join(': ') || `HTTP status ${answer.status}`}`,
    { hint: kind.hint || undefined, details: detailsOf(call, name, answer) },
  );
}

/** The name AWS gave a failure; undefined for others. */
export function awsNameOf(error: unknown): string | undefined {
  const name = error instanceof AtollError ? error.details.awsCode : undefined;
  return typeof name === 'string' ? name : undefined;
}

function detailsOf({ service, action }: AwsCall, awsCode: string, { status, headers }: AwsAnswer) {
  const waits = Number(headers['retry-after']);
  return {
    action: permissionOf(service, action),
    awsCode,
    status,
    ...(waits > 0 ? { retryAfterMs: waits * 1000 } : {}),
  };
}

function kindOf(name: string, status: number): Pick<Kind, 'code' | 'hint'> {
  // Rates are limits, too, but those pass by themselves.
  const kinds = KINDS.filter(({ names }) => names.test(name));
  const found = kinds.find(({ code }) => code === 'CLOUD_THROTTLED') ?? kinds[0];
  if (found) return found;
  if (status === 429) return { code: 'CLOUD_THROTTLED', hint: '' };
  if (status >= 500 || status === 408) return { code: 'CLOUD_UNAVAILABLE', hint: '' };
  return { code: 'CLOUD_REFUSED', hint: '' };
}

/** Name and words of a failure, in each of the forms that services use. */
function said({ text }: AwsAnswer): { name: string; words: string } {
  const json = jsonOf(text);
  if (json) {
    const name = json.__type ?? json.code ?? '';
    return { name: name.split('#').at(-1) ?? '', words: json.message ?? json.Message ?? '' };
  }
  const root = readXml(text);
  const error =
    under(root, 'Error') ??
    under(root, 'Errors', 'Error') ??
    (textOf(root, 'Code') ? root : undefined);
  return { name: textOf(error, 'Code'), words: textOf(error, 'Message') };
}

function jsonOf(text: string): Readonly<Record<string, string | undefined>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, string>)
      : undefined;
  } catch {
    return undefined;
  }
}

export interface Permission {
  readonly action: string;
  readonly resource: string;
}

/** The permission that words of AWS name as missing. */
export function missingPermission(words: string): Permission | undefined {
  const found =
    /not authorized to perform:? (?<action>[\w-]+:\w+)(?: on resource:? "?(?<resource>[^\s"]+))?/i.exec(
      words,
    );
  const { action, resource } = found?.groups ?? {};
  if (action === undefined) return undefined;
  return { action, resource: resource?.replace(/[.,]$/, '') ?? '*' };
}

/** A statement that would give the permission, ready for a policy. */
export function statementFor({ action, resource }: Permission): string {
  return JSON.stringify({ Effect: 'Allow', Action: action, Resource: resource });
}

function deniedError(call: AwsCall, words: string): AtollError {
  const asked = { action: permissionOf(call.service, call.action), resource: '*' };
  const missing = missingPermission(words) ?? asked;
  const who = /User: (\S+)/.exec(words)?.[1];
  return new AtollError(
    'CLOUD_DENIED',
    `Cannot do ${missing.action} on ${missing.resource}: ${who ?? 'these credentials'} may not`,
    {
      hint: `Allow it with ${statementFor(missing)}; "atoll render aws-policy" prints all that a site needs`,
      details: { ...missing, awsCode: 'AccessDenied' },
    },
  );
}
