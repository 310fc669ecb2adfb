// node clients.mjs NAME ORIGIN BYTES COUNT AT_ONCE HASH CA LIBRARY: reads COUNT bodies and prints what it cost.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { get as getHttp, Agent as HttpAgent } from 'node:http';
import { get as getHttps, Agent as HttpsAgent } from 'node:https';
import { createRequire } from 'node:module';

const [name, origin, bytes, count, atOnce, hash, ca, library] = process.argv.slice(2);

/** Each takes a function that is handed every chunk, and resolves at the end of the body. */
const CLIENTS = {
  async atoll() {
    const { createServerRoutes, HTTP_TUNING, silentContext, Transport } = await import(library);
    const transport = new Transport(createServerRoutes({ env: {}, ca: [ca] }), HTTP_TUNING);
    const ctx = silentContext();
    return async (url, take) => {
      const target = new URL(url);
      const request = { method: 'GET', url: target, headers: {}, registry: target.host };
      const response = await transport.send(ctx, { ...request, verify: true });
      await response.pump(take);
    };
  },
  'node:http'() {
    const isTls = origin.startsWith('https:');
    const options = { keepAlive: true, ca: readFileSync(ca) };
    const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options);
    const get = isTls ? getHttps : getHttp;
    return (url, take) =>
      new Promise((resolve, reject) => {
        get(url, { agent }, (response) => {
          response.on('data', take).on('end', resolve).on('error', reject);
        }).on('error', reject);
      });
  },
  undici() {
    const { Agent, stream } = createRequire(import.meta.url)('undici');
    const { Writable } = createRequire(import.meta.url)('node:stream');
    const dispatcher = new Agent({ connect: { ca: readFileSync(ca) } });
    return (url, take) =>
      stream(url, { method: 'GET', dispatcher }, () => {
        const write = (chunk, _encoding, done) => done(void take(chunk));
        return new Writable({ write });
      });
  },
};

const read = await CLIENTS[name]();
let left = Number(count);
const work = async () => {
  while (left > 0) {
    left -= 1;
    const digest = hash === 'true' ? createHash('sha256') : undefined;
    let seen = 0;
    await read(`${origin}/${bytes}`, (chunk) => {
      seen += chunk.length;
      digest?.update(chunk);
    });
    digest?.digest();
    if (seen !== Number(bytes)) throw new Error(`${name} read ${seen} of ${bytes} bytes`);
  }
};
const before = process.cpuUsage();
const start = performance.now();
await Promise.all(Array.from({ length: Number(atOnce) }, work));
const { user, system } = process.cpuUsage(before);
const rss = process.resourceUsage().maxRSS / 1024;
process.send({ cpu: (user + system) / 1e6, wall: (performance.now() - start) / 1000, rss });
process.exit();
