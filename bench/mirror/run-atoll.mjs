// The copy engine as a program, built as atoll is shipped:
// node run-atoll.mjs IMAGES.json SOURCE-HOST TARGET-HOST
import { readFile } from 'node:fs/promises';
import { silentContext } from '../../src/core/context.ts';
import { copyImages } from '../../src/mirror/copy/copy-images.ts';
import { createRegistries } from '../../src/remote/create-registries.ts';

const [file, from, to] = process.argv.slice(2);
const registries = createRegistries({ insecure: true });
const images = JSON.parse(await readFile(file, 'utf8')).map(({ repository, tag }) => ({
  source: registries.source({ registry: from, repository, tag }),
  target: registries.repository(to, repository),
  reference: tag,
  tags: [tag],
  from: `${from}/${repository}:${tag}`,
  to: `${to}/${repository}:${tag}`,
  sourceRepository: `${from}/${repository}`,
}));
const report = await copyImages(silentContext(), {
  images,
  limiter: (registry) => registries.limiter(registry),
});
await registries.close();

/** Not `resourceUsage().maxRSS`: that begins with the size of whoever started this program. */
async function peakMB() {
  const peak = /VmHWM:\s+(\d+) kB/.exec(await readFile('/proc/self/status', 'utf8'));
  return Number(peak?.[1] ?? 0) / 1024;
}

if (report.failed > 0) console.error(report.images.find(({ error }) => error)?.error);
const { user, system } = process.cpuUsage();
const result = JSON.stringify({
  copied: report.copied,
  skipped: report.skipped,
  failed: report.failed,
  blobs: report.blobs,
  cpuSeconds: (user + system) / 1e6,
  peakMB: await peakMB(),
});
// As the command line does: nothing is left to be taken down in order.
process.stdout.write(result, () => process.exit(report.failed > 0 ? 1 : 0));
