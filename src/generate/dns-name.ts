import { AtollError } from '../core/errors.ts';

const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const MAX_LABEL = 63;
export const MAX_DNS_NAME = 253;

/** A name of labels with dots between them, in lower case. */
export const isDnsName = (text: string): boolean =>
  text.split('.').every((part) => part.length <= MAX_LABEL) && isObjectName(text);

const isObjectName = (text: string): boolean =>
  text.length <= MAX_DNS_NAME && text.split('.').every((part) => LABEL.test(part));

/** The name of an object in a cluster (RFC 1123); the API server would refuse any other. */
export function objectName(kind: string, name: string): string {
  if (isObjectName(name)) return name;
  throw new AtollError('INPUT_INVALID', `Cannot name ${kind} "${name}"`, {
    hint: `Use lower case letters, digits, dashes and dots, at most ${MAX_DNS_NAME}`,
  });
}
