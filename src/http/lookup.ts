import { isIP, type LookupFunction } from 'node:net';
import type { HttpOptions } from './options.ts';

type AddressOf = NonNullable<HttpOptions['addressOf']>;

/** Node's lookup over other names than those of DNS: what they do not know does not exist. */
export function lookupWith(addressOf: AddressOf): LookupFunction {
  return (hostname, options, callback) => {
    const answer = (address: string | undefined) => {
      if (address === undefined) return callback(unresolved(hostname), '', 0);
      const family = isIP(address);
      if (options.all) callback(null, [{ address, family }]);
      else callback(null, address, family);
    };
    Promise.resolve(addressOf(hostname)).then(answer, () => answer(undefined));
  };
}

function unresolved(hostname: string): NodeJS.ErrnoException {
  const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
  return Object.assign(error, { code: 'ENOTFOUND', hostname });
}
