import type { Context } from '../../core/context.ts';
import { listOf, nullish, objectOf, text } from '../../core/shape.ts';
import { pages, readJson, unreadable } from './paging.ts';
import { type Place, subjectAt } from './place.ts';

interface TagList {
  readonly tags?: readonly string[] | null;
}

const PAGE = 1000;
const listShape = objectOf({ tags: nullish(listOf(text)) });

/** Every tag, page by page. An unknown repository is an error, not an empty list. */
export async function* listTags(ctx: Context, place: Place): AsyncGenerator<string> {
  const subject = subjectAt(place, 'list the tags of');
  for await (const response of pages(ctx, place, `${place.repository}/tags/list?n=${PAGE}`)) {
    if (!response.ok) throw await place.client.refuse(response, subject);
    const list = await readJson(response, subject);
    if (listShape(list)) throw unreadable(subject, 'the answer is not a list of tags');
    yield* (list as TagList).tags ?? [];
  }
}
