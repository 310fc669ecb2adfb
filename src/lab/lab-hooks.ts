import { mirrorHost } from '../site/mirror-place.ts';
import type { PlatformHooks } from '../site/open-site.ts';
import type { StageWork } from '../site/stages/stage.ts';
import { runLabCluster } from './run-lab-cluster.ts';
import { verifyLab } from './verify-lab.ts';

/** The hooks of whichever platform a site is on: only a lab has any. */
export const platformHooks: PlatformHooks = (work) =>
  work.site.platform.type === 'lab' ? labHooks(work) : {};

/** How a lab differs from a real platform: names, the install, and what is looked at afterwards. */
function labHooks(work: StageWork): Pick<StageWork, 'addressOf' | 'runCluster' | 'verifyCluster'> {
  const mirror = mirrorHost(work.site).replace(/:\d+$/, '');
  const addressOf = (host: string) => (host === mirror ? '127.0.0.1' : undefined);
  const whole: StageWork = { ...work, addressOf };
  return {
    addressOf,
    runCluster: (ctx, run) => runLabCluster(ctx, whole, run),
    verifyCluster: (ctx, run) => verifyLab(ctx, whole, run),
  };
}
