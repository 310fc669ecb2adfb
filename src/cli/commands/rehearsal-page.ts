import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { counted } from '../../core/format.ts';
import type { WatchedCommand } from '../../dashboard/watched-command.ts';
import type { RehearsalResult } from '../../rehearse/run-rehearsal.ts';
import { writeRehearsal } from '../../site/rehearse-site.ts';
import type { Terminal } from '../command.ts';
import { besideCommandPage } from '../dashboard-options.ts';

interface RehearsalPage {
  readonly wanted: boolean;
  readonly terminal: Terminal;
  /** Where the site that is rehearsed keeps what it knows; undefined: there is none. */
  readonly state: string | undefined;
  readonly mirror: string;
}

/** Rehearses with a page beside it where one is wanted; what was found is in the dashboard of the site. */
export async function besideRehearsalPage(
  ctx: Context,
  { wanted, terminal, state, mirror }: RehearsalPage,
  work: (ctx: Context) => Promise<RehearsalResult>,
): Promise<RehearsalResult> {
  if (!wanted && state === undefined) return await work(ctx);
  const folder = state ?? (await mkdtemp(join(tmpdir(), 'atoll-rehearsal-')));
  const runs = join(folder, 'rehearsals');
  const command: WatchedCommand = {
    ...{ name: 'rehearse', mirror, runs, rehearsalFolder: folder },
    stage: 'rehearsal',
  };
  try {
    const beside = { wanted, terminal, troubleIn, keeps: state !== undefined };
    return await besideCommandPage(ctx, command, beside, async (inner) => {
      const rehearsal = await work(inner);
      await writeRehearsal(folder, rehearsal);
      return rehearsal;
    });
  } finally {
    if (state === undefined) await rm(folder, { recursive: true, force: true });
  }
}

function troubleIn({ clean, images, pullable, findings }: RehearsalResult): string | undefined {
  if (clean) return undefined;
  const holes = findings.filter(({ severity }) => severity === 'hole').length;
  return `${counted(holes, 'hole')}: ${pullable} of ${images} images can be pulled`;
}
