// The load of small requests: wrk, where it is installed (scripts/peers bench). A generator in Node costs as much as
// a good server, and on two processors takes that from it.
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

export const hasWrk = () => spawnSync('wrk', ['-v'], { stdio: 'ignore' }).error === undefined;

/** The same GET on several connections, as load.mjs reports it. */
export async function wrk({ url, path, connections, seconds, headers = {} }) {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const load = ['-t1', `-c${connections}`, `-d${seconds}s`];
  const { stdout } = await promisify(execFile)('wrk', [...load, ...fields, `${url}${path}`]);
  const number = (pattern) => Number(pattern.exec(stdout)?.[1] ?? 0);
  const perSecond = number(/Requests\/sec:\s+([\d.]+)/);
  return {
    perSecond,
    seconds: number(/(\d+) requests in/) / perSecond,
    failed: number(/Non-2xx or 3xx responses: (\d+)/),
  };
}
