// npm run bench diagnose [-- --size MIB --runs N]: atoll diagnose against grep -F with the fixed words of all rules, on a log without hits and on one with many.
import { spawnSync } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const CLI = join(root, 'dist', 'cli', 'main.js');
const CATALOGUE = join(root, 'assets', 'failures');
const RULES = readdirSync(CATALOGUE).flatMap(
  (file) => parse(readFileSync(join(CATALOGUE, file), 'utf8')).failures ?? [],
);

/** Lines as they fill real journals; `#` stands for a number. None of these is a known failure. */
const ORDINARY = [
  'I0820 10:11:12.######    #### kubelet.go:2076] "SyncLoop ADD" source="file" pods=["openshift-etcd/etcd-bootstrap-member-#"]',
  'time="2026-08-20T10:11:12Z" level=info msg="Checking image status: quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:################" id=######## name=/runtime.v1.ImageService/ImageStatus',
  'E0820 10:11:12.######    #### reflector.go:147] k8s.io/client-go/informers/factory.go:150: Failed to watch *v1.Service: failed to list *v1.Service: Get "https://api-int.c1.example.com:6443/api/v1/services?limit=###": dial tcp 10.0.0.#:6443: connect: connection refused',
  'I0820 10:11:12.######       1 controller.go:###] syncing machine-config pool worker generation ###, observed configuration rendered-worker-########',
  'W0820 10:11:12.######       1 dispatcher.go:217] Failed calling webhook, failing open for pod ###: context canceled',
  '{"level":"info","ts":"2026-08-20T10:11:12.###Z","caller":"etcdserver/server.go:####","msg":"saved snapshot","snapshot-index":######}',
];
const KNOWN =
  'Error: initializing source docker://quay.io/a/b@sha256:ab: (Mirrors also failed: [mirror.lab:5000/a/b@sha256:ab: pinging container registry mirror.lab:5000: Get "https://mirror.lab:5000/v2/": x509: certificate signed by unknown authority]): quay.io/a/b@sha256:ab: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp: i/o timeout';
const UNITS = ['kubelet', 'crio', 'bootkube', 'approve-csr', 'node-image-pull'];
/** One line in so many is a known failure; how much more than grep it may cost. */
const LOGS = [
  { title: 'without hits', every: 0, target: 4 },
  { title: 'with many hits', every: 50, target: 6 },
];

export async function run(args) {
  const { values } = parseArgs({
    args: args.filter((arg) => arg !== '--'),
    options: {
      size: { type: 'string', default: '1024' },
      runs: { type: 'string', default: '3' },
    },
  });
  const directory = await mkdtemp(join(tmpdir(), 'atoll-bench-diagnose-'));
  try {
    const patterns = join(directory, 'words');
    await writeFile(patterns, words().join('\n'));
    const over = [];
    for (const { title, every, target } of LOGS) {
      const log = join(directory, 'bootstrap', 'journals', 'journal.log');
      const bytes = await writeLog(log, Number(values.size) * 1024 * 1024, every);
      console.log(`${title}:`);
      const ratio = report(bytes, measureBoth(log, patterns, Number(values.runs)), target);
      if (ratio > target) over.push(title);
    }
    return over.length;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Takes turns, so that a busy moment of the machine hits both. */
function measureBoth(log, patterns, runs) {
  const grep = [];
  const atoll = [];
  for (let count = 0; count < runs; count += 1) {
    grep.push(measure('grep', ['-F', '-i', '-c', '-f', patterns, log], { LC_ALL: 'C' }));
    atoll.push(measure(process.execPath, [CLI, 'diagnose', log, '--output', 'json'], {}));
  }
  return { grep, atoll };
}

/** Processor time decides: on a busy machine wall time measures the others. */
function report(bytes, { grep, atoll }, target) {
  const best = (list) => list.toSorted((a, b) => a.cpuSeconds - b.cpuSeconds)[0];
  const [fastest, ours] = [best(grep), best(atoll)];
  const ratio = ours.cpuSeconds / fastest.cpuSeconds;
  const mib = bytes / 1024 ** 2;
  const line = (name, { seconds, cpuSeconds, peakMiB }) =>
    `${name.padEnd(16)} ${cpuSeconds.toFixed(2)} s of processor, ${seconds.toFixed(2)} s on the clock, ${(mib / cpuSeconds).toFixed(0)} MiB/s, peak ${peakMiB.toFixed(0)} MiB`;
  console.log(`${mib.toFixed(0)} MiB, ${RULES.length} rules, best of ${grep.length}`);
  console.log(line('grep -F -i', fastest));
  console.log(line('atoll diagnose', ours));
  console.log(`ratio ${ratio.toFixed(2)}, target at most ${target}\n`);
  return ratio;
}

/** Wall time, processor time and peak memory of a program. */
function measure(program, args, env) {
  const { status, stderr } = spawnSync('python3', ['-c', WRAPPER, program, ...args], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  const [, wall, cpu, peak] = /wall=([\d.]+) cpu=([\d.]+) peak=(\d+)/.exec(stderr ?? '') ?? [];
  // grep ends with 1 where it found nothing.
  if (!(status === 0 || (program === 'grep' && status === 1)) || wall === undefined)
    throw new Error(`${program} ended with ${status}: ${stderr}`);
  return { seconds: Number(wall), cpuSeconds: Number(cpu), peakMiB: Number(peak) / 1024 };
}

// The output goes through a pipe: grep stops at the first match when it writes to /dev/null.
const WRAPPER = `
import resource, subprocess, sys, time
start = time.monotonic()
code = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).returncode
wall = time.monotonic() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("wall=%.3f cpu=%.3f peak=%d" % (wall, used.ru_utime + used.ru_stime, used.ru_maxrss), file=sys.stderr)
sys.exit(code)
`;

async function writeLog(path, size, every) {
  await mkdir(dirname(path), { recursive: true });
  const out = createWriteStream(path, { highWaterMark: 4 * 1024 * 1024 });
  const random = createRandom(20260820);
  let written = 0;
  while (written < size) {
    const block = Array.from({ length: 4000 }, () => logLine(random, every)).join('');
    written += block.length;
    if (!out.write(block)) await new Promise((resolve) => out.once('drain', resolve));
  }
  out.end();
  await finished(out);
  return written;
}

function logLine(random, every) {
  const unit = UNITS[random() % UNITS.length];
  const known = every > 0 && random() % every === 0;
  const text = known
    ? KNOWN
    : ORDINARY[random() % ORDINARY.length].replace(/#/g, () => random() % 10);
  return `Thu 2026-08-20 10:${10 + (random() % 50)}:${10 + (random() % 50)} UTC bootstrap ${unit}.service[${random() % 9999}]: ${text}\n`;
}

/** Small and always the same: the log has to be the same in every run. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
}

/** The longest fixed text of each alternative: what a search without a single regular expression would look for. */
function words() {
  const alternatives = RULES.flatMap(({ pattern = '', over = '', needs = [], unless = [] }) =>
    [pattern, over, ...needs, ...unless].flatMap((one) =>
      one.replace(/\(\?<?[!=][^)]*\)/g, '').split('|'),
    ),
  );
  const longest = alternatives.map(
    (one) =>
      one
        .split(/\\[a-z]|[^\w :/,-]+/)
        .toSorted((a, b) => b.length - a.length)[0]
        ?.trim() ?? '',
  );
  const isOrdinary = (word) =>
    ORDINARY.some((line) => line.toLowerCase().includes(word.toLowerCase()));
  return [...new Set(longest.filter((word) => word.length >= 6 && !isOrdinary(word)))];
}
