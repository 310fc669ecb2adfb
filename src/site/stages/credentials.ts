import { stat } from 'node:fs/promises';
import type { Context } from '../../core/context.ts';
import { readText, SECRET_MODE } from '../../core/files.ts';
import { shellLine } from '../../core/format.ts';
import { registerPullSecret } from '../../core/redact.ts';
import { formatPullSecret, mergePullSecret, parsePullSecret } from '../../generate/pull-secret.ts';
import type { Host } from '../../host/host.ts';
import { hashOf } from '../../workflow/hash.ts';
import { bastionPlace, isElsewhere } from '../bastion/bastion-place.ts';
import { sitePath } from '../read-site.ts';
import { bastionOf } from './places.ts';
import { writeSecret } from './secrets.ts';
import { asJson, type Stage, type StageWork } from './stage.ts';

export const credentialsStage: Stage = {
  id: 'credentials',
  needs: ['bastion'],
  inputs: ({ cluster }) => asJson({ pullSecret: cluster.pullSecret }),
  plan: ({ site }) => [
    `copy the pull secret ${site.cluster.pullSecret} to the bastion, readable by its owner alone`,
    ...(isElsewhere(site) ? [`as ${bastionPlace(site).pullSecret}; cleanup takes it away`] : []),
  ],
  // A new pull secret under the same name must be noticed.
  always: true,
  run: async (ctx, work) => {
    const { site, paths } = work;
    const path = sitePath(site, site.cluster.pullSecret);
    const text = await readText(path);
    registerPullSecret(text);
    const secret = parsePullSecret(text, `"${path}"`);
    if (((await stat(path)).mode & 0o077) !== 0) {
      ctx.emit({
        type: 'warning.raised',
        message: `Others can read the pull secret "${path}"`,
        hint: `Run: ${shellLine(['chmod', '600', path])}`,
      });
    }
    const merged = formatPullSecret(mergePullSecret({ existing: text, add: [] }));
    const bastion = await bastionOf(ctx, work);
    await writeSecret(paths.upstreamSecret, merged);
    if (!bastion.isHere) await lend(ctx, work, bastion, merged);
    return { registries: Object.keys(secret.auths).toSorted(), fingerprint: hashOf(merged) };
  },
};

/** Puts it on another machine, for as long as the install takes: stages there make copies of it. */
async function lend(ctx: Context, work: StageWork, bastion: Host, text: string): Promise<void> {
  const { pullSecret, paths } = bastionPlace(work.site);
  for (const id of [pullSecret, paths.upstreamSecret, paths.mergedSecret])
    await work.inventory.claim({ kind: 'bastion-file', id, temporary: true, lifetime: 'install' });
  await bastion.put(ctx, pullSecret, text, { mode: SECRET_MODE });
}
