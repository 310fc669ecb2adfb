import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { streamSource } from '../../core/archive/byte-source.ts';
import { readTar } from '../../core/archive/read-tar.ts';
import type { Context } from '../../core/context.ts';
import { SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import type { Host } from '../../host/host.ts';
import { hashOf } from '../../workflow/hash.ts';
import type { JsonObject } from '../../workflow/step.ts';
import type { Site } from '../read-site.ts';
import { bastionOf } from '../stages/places.ts';
import type { Stage, StageWork } from '../stages/stage.ts';
import { type BastionPlace, bastionPlace, isElsewhere } from './bastion-place.ts';
import { carryAtoll, must } from './carry-atoll.ts';
import { runThere } from './run-there.ts';
import { carrySite } from './site-there.ts';

/** What a stage leaves on the bastion that later stages read here: there, and here. */
type Brings = (place: BastionPlace, work: StageWork) => readonly (readonly [string, string])[];

/** What has to be there before it runs there: gives what goes into its environment. */
type Prepares = (
  ctx: Context,
  work: StageWork,
  host: Host,
) => Promise<Readonly<Record<string, string>>>;

/**
 * A stage that does its work on the bastion. Where that is this machine it just runs; elsewhere it runs
 * there, by the atoll that is carried there, and what it leaves is brought back, however it ended.
 */
export function onBastion(
  stage: Stage,
  brings: Brings = () => [],
  prepares: Prepares = async () => ({}),
): Stage {
  return {
    ...stage,
    plan: (work) => (isElsewhere(work.site) ? planThere(stage, work) : stage.plan(work)),
    run: async (ctx, work, run) => {
      const host = await bastionOf(ctx, work);
      if (host.isHere) return stage.run(ctx, work, run);
      const place = await carry(ctx, host, work.site);
      const env = await prepares(ctx, work, host);
      const fetch = async () => {
        for (const [there, here] of brings(place, work)) await bring(ctx, host, there, here);
      };
      const { outputs } = await runThere(ctx, {
        ...{ host, place, name: stage.id, env, log: run.log },
        key: hashOf(stage.inputs(work.site)),
        args: argsOf(stage, work),
      }).catch(async (error: unknown) => {
        await fetch().catch(() => undefined);
        throw error;
      });
      await fetch();
      return localOutput(outputs?.[stage.id] ?? {}, place, work);
    },
  };
}

/** Stages run side by side: what one of them still carries, another must not carry, too. */
const carrying = new WeakMap<Host, Promise<unknown>>();

async function carry(ctx: Context, host: Host, site: Site): Promise<BastionPlace> {
  const before = carrying.get(host) ?? Promise.resolve();
  const now = before
    .catch(() => undefined)
    .then(async () => {
      const place = await carrySite(ctx, host, site);
      await carryAtoll(ctx, host, place);
      return place;
    });
  carrying.set(host, now);
  return await now;
}

const argsOf = ({ id }: Stage, { skipRehearsal }: StageWork) => [
  ...['up', '--only', id, '--fresh'],
  ...(skipRehearsal ? ['--skip-rehearsal'] : []),
];

function planThere(stage: Stage, work: Parameters<Stage['plan']>[0]): readonly string[] {
  const { paths } = bastionPlace(work.site);
  const [first = '', ...rest] = stage.plan({ ...work, paths });
  return [`on the bastion: ${first}`, ...rest];
}

/** Paths that stages hand on are of this machine: what they name was brought here. */
function localOutput(output: JsonObject, place: BastionPlace, { paths }: StageWork): JsonObject {
  return JSON.parse(
    JSON.stringify(output).replaceAll(place.paths.state, paths.state),
  ) as JsonObject;
}

/** Packs a file or a folder; what is not there is nothing. Work in progress stays. */
const PACK =
  'cd -- "$1" 2>/dev/null || exit 0; [ -e "$2" ] || exit 0; tar --exclude=partial -czf - -- "$2" | base64';

/** Brings a file or a folder here, whole. */
export async function bring(ctx: Context, host: Host, there: string, here: string): Promise<void> {
  const name = there.slice(there.lastIndexOf('/') + 1);
  const text = await must(ctx, host, 'sh', [
    '-c',
    PACK,
    'pack',
    there.slice(0, -name.length),
    name,
  ]);
  if (text === '') return;
  const packed = gunzipSync(Buffer.from(text, 'base64'));
  for await (const entry of readTar(streamSource(Readable.from([packed])))) {
    if (entry.type !== 'file' || entry.path.split('/').includes('..')) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of entry.content) chunks.push(chunk);
    const path = join(here, entry.path.slice(name.length));
    await writeFileAtomic(path, Buffer.concat(chunks), { mode: SECRET_MODE });
  }
}
