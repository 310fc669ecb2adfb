// The stages of `up`, in the lab, where upstream, mirror and machines are real processes: killed, and going on.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { wrongBlobs } from './verify.mjs';
import { atoll, filesBelow } from './world.mjs';

const LONGEST_MS = 20_000;
const MOST_KILLS = 4;

const upKilled = (way) => ({
  name: `up${way.length > 0 ? ' with a bundle' : ''}, killed`,
  async play(world, random) {
    const dir = join(world.folder, 'lab');
    const args = ['lab', '--dir', dir, ...way];
    for (let count = Math.ceil(random() * MOST_KILLS); count > 0; count -= 1) {
      await atoll(args, { killAfterMs: 500 + random() * LONGEST_MS });
    }
    const again = await atoll(args);
    const problems = [];
    // The lab ends well only if every machine pulled all it needs from the mirror, and checked each layer.
    if (again.status !== 0) {
      problems.push({
        kind: again.stuck ? 'stuck' : 'failed',
        what: args.join(' '),
        words: again.words,
      });
    }
    const layouts = (await filesBelow(dir)).filter((file) => file.endsWith('/oci-layout'));
    for (const layout of layouts) problems.push(...(await wrongBlobs(join(layout, '..'))));
    if (problems.length === 0) await rm(dir, { recursive: true, force: true });
    return problems;
  },
});

export const UPS = [upKilled([]), upKilled(['--airgap'])];
