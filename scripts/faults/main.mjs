// npm run faults -- [--rounds N] [--seed N] [--up]: kills, cuts, full disks and flipped bytes at random moments over
// everything that moves images, then an independent reader. Exits 1 when anything is lost, wrong, stuck or falsely there.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FAULTS, fullDisk, labKill } from './faults.mjs';
import { verify } from './verify.mjs';
import { atoll, createMirror, run, writeImage } from './world.mjs';

const IMAGES = 6;
const LAYER_BYTES = [1_500_000, 900_000, 40_000];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    up: { type: 'boolean', default: false },
  },
});

/** Numbers that a seed decides: the same seed, the same faults (but not the same moments of a clock). */
function dice(seed) {
  let state = Number(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function createWorld(folder) {
  const [upstream, mirror] = [
    await createMirror(join(folder, 'upstream')),
    await createMirror(join(folder, 'mirror')),
  ];
  const authfile = join(folder, 'auth.json');
  const auths = { [upstream.host]: upstream.auth, [mirror.host]: mirror.auth };
  await writeFile(authfile, JSON.stringify({ auths }));
  const images = new Map();
  for (let index = 0; index < IMAGES; index += 1) {
    const layout = join(folder, 'layouts', String(index));
    images.set(`app/image${index}`, await writeImage(layout, LAYER_BYTES));
    const to = `docker://${upstream.host}/app/image${index}:v1`;
    const pushed = await run('skopeo', [
      ...[
        'copy',
        '--quiet',
        '--preserve-digests',
        '--dest-tls-verify=false',
        '--dest-authfile',
        authfile,
      ],
      ...[`oci:${layout}:v1`, to],
    ]);
    if (pushed.status !== 0) throw new Error(pushed.words);
  }
  const names = [...images.keys()].map((name) => `  - name: ${upstream.host}/${name}:v1`);
  const set = join(folder, 'imageset.yaml');
  const head = 'kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n';
  await writeFile(set, `${head}  additionalImages:\n${names.join('\n')}\n`);
  return { folder, upstream, mirror, authfile, images, set };
}

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-faults-'));
  const random = dice(values.seed);
  const table = new Map();
  const bad = [];
  const note = async (name, round, outcome) => {
    const row = table.get(name) ?? { rounds: 0, lost: 0, wrong: 0, stuck: 0, false: 0, failed: 0 };
    row.rounds += 1;
    for (const problem of outcome) {
      row[problem.kind] += 1;
      bad.push({ round, name, ...problem });
      console.error(
        `round ${round} ${name}: ${problem.kind} ${problem.what}\n${problem.words ?? ''}`,
      );
    }
    table.set(name, row);
  };
  try {
    const world = await createWorld(folder);
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      const fault = FAULTS[Math.floor(random() * FAULTS.length)];
      const outcome = await fault.play(world, random, { atoll, verify });
      await note(fault.name, round, outcome);
      process.stderr.write(`\r${round} of ${values.rounds}, ${bad.length} bad `);
    }
    await note('full disk', 'last', await fullDisk(world, { atoll, verify }));
    if (values.up) await note('up', 'last', await labKill(world, random, { atoll }));
  } finally {
    if (bad.length === 0) await rm(folder, { recursive: true, force: true });
    else console.error(`\nkept: ${folder}`);
  }
  console.log(`\nseed ${values.seed}, node ${process.version}`);
  console.table(Object.fromEntries(table));
  process.exit(bad.length === 0 ? 0 : 1);
}

await readFile(join(import.meta.dirname, '../../dist/cli/main.js')).catch(() => {
  console.error('Build first: npm run build');
  process.exit(1);
});
await main();
