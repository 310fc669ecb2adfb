import type { ErrorCode } from '../../../core/error-codes.ts';
import { AtollError } from '../../../core/errors.ts';
import { under, type Xml } from '../../shared/xml.ts';
import { textIn, typeOf } from './read.ts';

interface Kind {
  readonly code: ErrorCode;
  readonly hint?: string | undefined;
}

const KINDS: Readonly<Record<string, Kind>> = {
  InvalidLogin: {
    code: 'CLOUD_CREDENTIALS',
    hint: 'Correct username and password in the file that platform.credentials names; users are written as user@domain',
  },
  NotAuthenticated: { code: 'CLOUD_CREDENTIALS', hint: 'Run the same command again' },
  NoDiskSpace: { code: 'CLOUD_QUOTA', hint: 'Make room on the datastore, or name another' },
  InsufficientResourcesFault: { code: 'CLOUD_QUOTA', hint: 'Make room in the compute cluster' },
  RestrictedVersion: { code: 'CLOUD_REFUSED', hint: 'The vCenter needs a licence for this' },
};

/** The failure that a fault stands for, with a code to branch on and what to do about it. */
export function vsphereFault(doing: string, fault: Xml | undefined, words: string): AtollError {
  const name = faultName(fault);
  const details = { vsphereFault: name };
  if (name === 'NoPermission') return denied(doing, fault);
  const { code, hint } = KINDS[name] ?? { code: 'CLOUD_REFUSED' };
  const said = [name, words].filter(Boolean).join(': ') || 'the vCenter refused';
  return new AtollError(code, `Cannot ${doing}: ${said}`, { hint, details });
}

/** Faults are told apart by their type; elements that hold one are called alike. */
const faultName = (fault: Xml | undefined): string => typeOf(fault) || 'Unknown';

function denied(doing: string, fault: Xml | undefined): AtollError {
  const privilege = textIn(fault, 'privilegeId');
  const object = textIn(fault, 'object');
  return new AtollError('CLOUD_DENIED', `Cannot ${doing}: the user may not ${privilege}`, {
    hint: `Add the privilege ${privilege} to the role that the user has on ${object}`,
    details: { vsphereFault: 'NoPermission', privilege, object },
  });
}

/** The name of the fault that a vCenter answered with; undefined for other failures. */
export function faultOf(error: unknown): string | undefined {
  const name = error instanceof AtollError ? error.details.vsphereFault : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** The fault in an answer, if it is one. */
export function faultIn(
  body: Xml | undefined,
): { fault: Xml | undefined; words: string } | undefined {
  const found = under(body, 'soapenv:Fault') ?? under(body, 'Fault');
  if (found === undefined) return undefined;
  const detail = under(found, 'detail');
  const inside = typeof detail === 'object' ? Object.keys(detail)[0] : undefined;
  return {
    fault: inside === undefined ? undefined : under(detail, inside),
    words: textIn(found, 'faultstring'),
  };
}
