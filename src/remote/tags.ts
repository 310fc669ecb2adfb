import * as z from 'zod';
import type { Context } from '../core/context.ts';
import { pages, readJson, unreadable } from './paging.ts';
import { type Place, subjectAt } from './place.ts';

const PAGE = 1000;
const listSchema = z.looseObject({ tags: z.array(z.string()).nullish() });

/** Every tag, page by page. An unknown repository is an error, not an empty list. */
export async function* listTags(ctx: Context, place: Place): AsyncGenerator<string> {
  const subject = subjectAt(place, 'list the tags of');
  for await (const response of pages(ctx, place, `${place.repository}/tags/list?n=${PAGE}`)) {
    if (!response.ok) throw await place.client.refuse(response, subject);
    const parsed = listSchema.safeParse(await readJson(response, subject));
    if (!parsed.success) throw unreadable(subject, 'the answer is not a list of tags');
    yield* parsed.data.tags ?? [];
  }
}
