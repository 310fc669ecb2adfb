// The ways of moving images, and what has to be true after one of them was broken and repeated.
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { verify } from './verify.mjs';
import { atoll, emptyMirror, skopeo } from './world.mjs';

export const FLOWS = ['sync', 'save', 'load', 'copy', 'push'];

let serial = 0;

/** How long a whole run took the last time: kills fall anywhere into that. */
const lastMs = new Map();
export const usualMs = (flow) => lastMs.get(flow) ?? 2000;

/** A place and a folder of their own for each round; `run(flow)` starts one of the flows there. */
export function commandsFor(world, mirror = world.mirror, root = join(world.folder, 'work')) {
  serial += 1;
  const place = `round${serial}`;
  const dir = join(root, place);
  const bundle = join(dir, 'bundle');
  const flags = ['--authfile', world.authfile, '--insecure'];
  const to = ['--to', `docker://${mirror.host}/${place}`, '--dir', dir];
  const [name] = world.images.keys();
  const target = `docker://${mirror.host}/${place}/${name}:v1`;
  const lines = {
    sync: ['mirror', 'sync', '-c', world.set, ...to, ...flags],
    save: ['mirror', 'save', '-c', world.set, '--to', bundle, '--dir', dir, ...flags],
    load: ['mirror', 'load', '--from', bundle, ...to, ...flags],
    copy: ['mirror', 'copy', `docker://${world.upstream.host}/${name}:v1`, target, ...flags],
  };
  const layout = `oci:${join(world.folder, 'layouts/0')}:v1`;
  const commands = { world, mirror, place, dir, bundle, run };
  async function run(flow, options) {
    const ended = await (flow === 'push'
      ? skopeo(world, 'dest', layout, target, options)
      : atoll(lines[flow], options));
    // One that found all there was quicker than a whole run: the guess shrinks slowly.
    if (ended.status === 0) lastMs.set(flow, Math.max(ended.ms, usualMs(flow) * 0.7));
    return ended;
  }
  return commands;
}

const imagesOf = ({ world, place }, flow) => {
  const all = [...world.images].map(([name, digest]) => [`${place}/${name}`, digest]);
  return flow === 'copy' || flow === 'push' ? all.slice(0, 1) : all;
};

/** A load needs a bundle first. */
export async function prepare(commands, flow) {
  return flow === 'load' ? await repeated(commands, 'save') : [];
}

/** The same command again must end well; that it ends at all is the first half. */
export async function repeated(commands, flow) {
  // A bundle that was whole before the fault came is not saved again, and need not be.
  if (flow === 'save' && (await isWhole(commands.bundle))) return [];
  const again = await commands.run(flow);
  if (again.status === 0) return [];
  return [{ kind: again.stuck ? 'stuck' : 'failed', what: flow, words: again.words }];
}

export const isFinished = async (bundle) => (await indexOf(bundle)) !== undefined;

const isWhole = async (bundle) =>
  (await isFinished(bundle)) &&
  !(await exists(join(bundle, 'bundle.state'))) &&
  (await indexOf(bundle)).missing === undefined;

const indexOf = (bundle) =>
  readFile(join(bundle, 'bundle.json'), 'utf8').then(JSON.parse, () => undefined);

const exists = (path) =>
  stat(path).then(
    () => true,
    () => false,
  );

export const read = (commands, flow) =>
  verify(commands.world, commands.mirror, imagesOf(commands, flow));

/** The whole second half of a round: again, across the gap if it was a bundle, and read by somebody else. */
export async function finish(commands, flow) {
  const problems = await repeated(commands, flow);
  if (flow === 'save') problems.push(...(await repeated(commands, 'load')));
  return [...problems, ...(await read(commands, flow))];
}

export async function tidy({ dir, mirror }) {
  await rm(dir, { recursive: true, force: true });
  await emptyMirror(mirror);
}
