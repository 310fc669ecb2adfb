import type { Context } from '../../../core/context.ts';
import type { Aws } from '../client/aws.ts';
import { findStack } from './stack-state.ts';
import { knownEvents, watchStack } from './watch-stack.ts';

interface DoomedStack {
  readonly name: string;
  readonly site: string;
}

/** Removes a stack of the site and all that is in it; one that is gone or belongs to others is left. */
export async function removeStack(
  ctx: Context,
  aws: Aws,
  { name, site }: DoomedStack,
): Promise<void> {
  const found = await findStack(ctx, aws, name);
  if (found === undefined) return;
  if (found.site !== site) {
    const message = `The stack ${name} is left: it is not tagged as one of the site ${site}`;
    ctx.emit({ type: 'warning.raised', message, subject: name });
    return;
  }
  const known = await knownEvents(ctx, aws, found.id);
  await aws.query(ctx, 'cloudformation', 'DeleteStack', { StackName: found.id });
  await watchStack(ctx, aws, { name, id: found.id, doing: 'remove', known });
}
