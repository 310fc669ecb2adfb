// `atoll up` on a site of the lab, where upstream, mirror and machines are real processes: each dies, and it goes on.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pull, wrongBlobs } from './verify.mjs';
import {
  anyMoment,
  atoll,
  filesBelow,
  killBeside,
  killServer,
  run,
  serve,
  tally,
  writeLogins,
} from './world.mjs';

const MOST_KILLS = 12;
const IMAGES_READ = 4;
const SITE_FILES = ['atoll.yaml', 'pull-secret.json', 'ssh-key.pub', 'upstream.conf'];

/** A lab that came up once, for its upstream and its site file; the upstream is served from here on. */
async function makeLab(world) {
  const dir = join(world.folder, 'lab');
  const made = await atoll(['lab', '--dir', dir]);
  if (made.status !== 0) throw new Error(made.words);
  const { port } = JSON.parse(await readFile(join(dir, 'upstream/registry.json'), 'utf8'));
  const upstream = { folder: join(dir, 'upstream/registry'), port, child: undefined };
  await serve(upstream);
  return { site: join(dir, 'site'), upstream, ms: made.ms };
}

let serial = 0;

async function newSite(world, flow) {
  world.lab ??= await makeLab(world);
  serial += 1;
  const dir = join(world.folder, `site${serial}`);
  await mkdir(dir);
  for (const name of SITE_FILES) await cp(join(world.lab.site, name), join(dir, name));
  const file = join(dir, 'atoll.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('flow: sync', `flow: ${flow}`));
  const up = (options) => atoll(['up', '--site', file], options);
  return { dir, file, up };
}

/** The command dies, alone or with all that it started, until it was quicker than the kill. */
async function killClient({ up }, { ms }, random) {
  for (let count = Math.ceil(random() * MOST_KILLS); count > 0; count -= 1) {
    const ended = await up({ killAfterMs: anyMoment(ms, random), inGroup: random() < 0.5 });
    if (!ended.killed) return ended;
  }
  return undefined;
}

/** Somebody that it talks to dies while it runs. */
const killOther = (kill) => async (site, lab, random) => {
  const broken = site.up();
  const most = Math.ceil(random() * MOST_KILLS);
  await killBeside(
    broken,
    most,
    () => anyMoment(lab.ms, random) / 2,
    () => kill(site, lab),
  );
  return await broken;
};

const killUpstream = killOther(async (_site, { upstream }) => {
  await killServer(upstream);
  await serve(upstream);
});

const killMirror = killOther(async ({ dir }) => {
  const text = await readFile(join(dir, '.atoll/registry.pid'), 'utf8').catch(() => '{}');
  const { pid } = JSON.parse(text || '{}');
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
    tally.kills += 1;
  } catch {
    // It was gone already.
  }
});

/** Some of what the mirror is said to hold, pulled by somebody else. */
async function readSome(world, { dir }, random) {
  const text = await readFile(join(dir, '.atoll/mirror/working-dir/mirrored.json'), 'utf8');
  const { auths } = JSON.parse(await readFile(join(dir, '.atoll/secrets/mirror.json'), 'utf8'));
  const [[name, auth]] = Object.entries(auths);
  const host = `127.0.0.1:${name.split(':').at(-1)}`;
  const authfile = join(dir, 'auth.json');
  await writeLogins(authfile, [{ host, auth }]);
  const { images } = JSON.parse(text);
  const problems = [];
  for (let count = 0; count < IMAGES_READ; count += 1) {
    const { target, digest } = images[Math.floor(random() * images.length)];
    const repository = target.replace(/^[^/]*\//, '').replace(/[:@].*$/, '');
    problems.push(
      ...(await pull({ ...world, authfile }, `${host}/${repository}@${digest}`, digest)),
    );
  }
  return problems;
}

/** After `down` nothing of a site runs. */
async function leftOf({ dir, file }) {
  const { status, words } = await atoll(['down', '--yes', '--site', file]);
  if (status !== 0) return [{ kind: 'failed', what: 'down', words }];
  const running = (await run('ps', ['-eo', 'pid,args'])).words.split('\n');
  const left = running.filter((line) => line.includes(`${dir}/`));
  return left.length === 0 ? [] : [{ kind: 'stuck', what: 'left running', words: left.join('\n') }];
}

const upBroken = (name, flow, breakIt) => ({
  name: `up${flow === 'bundle' ? ' with a bundle' : ''}, ${name}`,
  async play(world, random) {
    const site = await newSite(world, flow);
    const problems = [];
    const broken = await breakIt(site, world.lab, random);
    if (broken?.stuck) problems.push({ kind: 'stuck', what: 'up', words: broken.words });
    // It ends well only if every machine pulled all it needs from the mirror, and checked each layer.
    const again = await site.up();
    world.lab.ms = Math.max(world.lab.ms / 2, again.ms, broken?.ms ?? 0);
    if (again.status !== 0) {
      const kind = again.stuck ? 'stuck' : 'failed';
      return [...problems, { kind, what: `up in ${site.dir}`, words: again.words }];
    }
    problems.push(...(await readSome(world, site, random)));
    const layouts = (await filesBelow(site.dir)).filter((each) => each.endsWith('/oci-layout'));
    for (const layout of layouts) problems.push(...(await wrongBlobs(join(layout, '..'))));
    problems.push(...(await leftOf(site)));
    if (problems.length === 0) await rm(site.dir, { recursive: true, force: true });
    return problems;
  },
});

export const UPS = [
  upBroken('killed', 'sync', killClient),
  upBroken('killed', 'bundle', killClient),
  upBroken('upstream killed', 'sync', killUpstream),
  upBroken('mirror killed', 'sync', killMirror),
];
