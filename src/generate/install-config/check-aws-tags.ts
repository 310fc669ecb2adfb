import type { AwsPlatform } from './schema.ts';
import { error, type Violation, when } from './violation.ts';

const MAX_TAGS = 25;
const MAX_KEY = 128;
const MAX_VALUE = 256;
const ALLOWED = /^[0-9A-Za-z_.:/=+@,<>;?\p{Z}-]+$/u;
const RESERVED = /^(?:[^/]*\.)?(?:kubernetes|openshift)\.io\/|^name$|^aws:/i;

/** Tags of a user, as AWS takes them and without those the cluster makes itself. */
export function checkTags({ userTags = {} }: AwsPlatform): Violation[] {
  const path = 'platform.aws.userTags';
  const tags = Object.entries(userTags);
  return [
    ...when(tags.length > MAX_TAGS, () =>
      error(path, `it has ${tags.length} tags`, `Use at most ${MAX_TAGS}`),
    ),
    ...tags
      .filter(([key]) => RESERVED.test(key))
      .map(([key]) => error(path, `"${key}" is not for users`, 'Choose another key')),
    ...tags
      .filter(([key, value]) => !isText(key, MAX_KEY) || !isText(value, MAX_VALUE))
      .map(([key]) =>
        error(
          path,
          `"${key}" or its value is empty, too long or has odd characters`,
          `Use letters, digits, blanks and _.:/=+-@; ${MAX_KEY} for a key and ${MAX_VALUE} for a value`,
        ),
      ),
  ];
}

const isText = (text: string, most: number): boolean => text.length <= most && ALLOWED.test(text);
