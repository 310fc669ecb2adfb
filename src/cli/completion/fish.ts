import type { Flag, Place } from './places.ts';

/** For `atoll completion fish | source`. */
export function fishCompletion(places: readonly Place[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# atoll completion for fish
function __atoll_at
  set -l at ''
  set -l words (commandline -opc)
  for word in $words[2..-1]
    set -l next (string trim -- "$at $word")
    if contains -- $next ${known.join(' ')}
      set at $next
    end
  end
  test "$at" = "$argv[1]"
end
${places.flatMap(lines).join('\n')}`;
}

function lines({ path, words, flags }: Place): string[] {
  const start = `complete -c atoll -n ${quoted(`__atoll_at "${path}"`)}`;
  return [
    ...words.map(([word, summary]) => `${start} -f -a ${quoted(word)} -d ${quoted(summary)}`),
    ...flags.map(
      (flag) => `${start} -l ${flag.long.slice(2)}${valuePart(flag)} -d ${quoted(flag.summary)}`,
    ),
  ];
}

function valuePart({ choices, takes }: Flag): string {
  if (takes === 'nothing') return '';
  if (choices.length > 0) return ` -x -a ${quoted(choices.join(' '))}`;
  return takes === 'file' ? ' -r -F' : ' -x';
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
