import { stat } from 'node:fs/promises';
import { readText, SECRET_MODE } from '../../core/files.ts';
import { shellLine } from '../../core/format.ts';
import { registerPullSecret } from '../../core/redact.ts';
import { formatPullSecret, mergePullSecret, parsePullSecret } from '../../generate/pull-secret.ts';
import { hashOf } from '../../workflow/hash.ts';
import { sitePath } from '../read-site.ts';
import { bastionOf } from './places.ts';
import { asJson, type Stage } from './stage.ts';

export const credentialsStage: Stage = {
  id: 'credentials',
  needs: ['bastion'],
  inputs: ({ cluster }) => asJson({ pullSecret: cluster.pullSecret }),
  plan: ({ site }) => [
    `copy the pull secret ${site.cluster.pullSecret} to the bastion, readable by its owner alone`,
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
    await bastion.put(ctx, paths.upstreamSecret, merged, { mode: SECRET_MODE });
    return { registries: Object.keys(secret.auths).toSorted(), fingerprint: hashOf(merged) };
  },
};
