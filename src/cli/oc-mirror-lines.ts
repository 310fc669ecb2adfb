const DESTINATION = /^(docker|file):\/\//;
const CONFIG = /^(-c|--config)$/;
const CONFIG_WITH_VALUE = /^--config=/;
const FROM = /^--from(=|$)/;

/**
 * oc-mirror has no verbs: where content comes from and where it goes decide what is done. Such a line gets the verb
 * that it means here; any other stays as it is. A bundle knows what is in it, so that `load` needs no image set.
 */
export function withVerb(argv: readonly string[]): readonly string[] {
  const [group, ...words] = argv;
  const at = words.findIndex((word, index) => isPlace(word, words[index - 1]));
  const place = words[at];
  if (group !== 'mirror' || place === undefined || !startsWithoutVerb(words)) return argv;
  const rest = words.toSpliced(at, 1);
  if (place.startsWith('file://')) return ['mirror', 'save', ...rest, '--to', place];
  const isLoad = words.some((word) => FROM.test(word));
  return isLoad
    ? ['mirror', 'load', ...withoutConfig(rest), '--to', place]
    : ['mirror', 'sync', ...rest, '--to', place];
}

const startsWithoutVerb = ([first = '']: readonly string[]) =>
  first.startsWith('-') || DESTINATION.test(first);

/** A URL that is not the value of the flag before it. */
const isPlace = (word: string, before = '') =>
  DESTINATION.test(word) && !['--from', '--workspace', '--cache-dir'].includes(before);

function withoutConfig(words: readonly string[]): string[] {
  return words.filter(
    (word, index) =>
      !CONFIG.test(word) && !CONFIG_WITH_VALUE.test(word) && !CONFIG.test(words[index - 1] ?? ''),
  );
}
