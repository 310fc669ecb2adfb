import { isIP, type LookupFunction } from 'node:net';

/** Node's lookup over a table of names: what it does not know does not exist. */
export function lookupWith(addressOf: (host: string) => string | undefined): LookupFunction {
  return (hostname, options, callback) => {
    const address = addressOf(hostname);
    if (address === undefined) {
      const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), {
        code: 'ENOTFOUND',
        hostname,
      });
      callback(error, '', 0);
      return;
    }
    const family = isIP(address);
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}
