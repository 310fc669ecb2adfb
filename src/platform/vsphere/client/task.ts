import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { sleep } from '../../../core/retry.ts';
import { under, type Xml } from '../../shared/xml.ts';
import { vsphereFault } from './fault.ts';
import type { Markup, Ref } from './markup.ts';
import { propertiesOf } from './properties.ts';
import { refIn, textIn } from './read.ts';
import type { Vcenter } from './vcenter.ts';

const HOUR_MS = 3_600_000;

/** Calls a method that begins a task, and waits for its end; the answer is the result of the task. */
export async function runTask(
  ctx: Context,
  { vcenter, pollMs }: { readonly vcenter: Vcenter; readonly pollMs: number },
  call: {
    readonly doing: string;
    readonly method: string;
    readonly target: Ref;
    readonly fields?: readonly Markup[];
  },
): Promise<Xml | undefined> {
  const { doing, method, target, fields } = call;
  const task = refIn(await vcenter.call(ctx, doing, method, target, fields));
  if (task === undefined) throw new AtollError('CLOUD_REFUSED', `Cannot ${doing}: no task began`);
  for (let waited = 0; waited < HOUR_MS; waited += pollMs) {
    const info = (await propertiesOf(ctx, vcenter, task, ['info'])).get('info');
    const state = textIn(info, 'state');
    if (state === 'success') return under(info, 'result');
    if (state === 'error') {
      const error = under(info, 'error');
      throw vsphereFault(doing, under(error, 'fault'), textIn(error, 'localizedMessage'));
    }
    await sleep(ctx, pollMs);
  }
  throw new AtollError('TIMED_OUT', `Cannot ${doing}: the task ${task.value} did not end`, {
    hint: 'Look at the recent tasks in the vSphere Client',
  });
}
