const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const MAX_LABEL = 63;
export const MAX_DNS_NAME = 253;

/** A name of labels with dots between them, in lower case. */
export const isDnsName = (text: string): boolean =>
  text.length <= MAX_DNS_NAME &&
  text.split('.').every((part) => part.length <= MAX_LABEL && LABEL.test(part));
