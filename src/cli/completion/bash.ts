import type { Flag, Place } from './places.ts';

/** For `source <(atoll completion bash)`. */
export function bashCompletion(places: readonly Place[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# atoll completion for bash
_atoll() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local at='' word words='' flags=''
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${known.join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at:$previous" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${places.map(wordCase).join('\n')}
  esac
  [[ $current == -* ]] && words="$flags"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _atoll atoll`;
}

/** What can follow a flag that takes a value; an empty answer lets bash offer files. */
function valueCases({ path, flags }: Place): string[] {
  return flags
    .filter(({ takes }) => takes !== 'nothing')
    .map((flag) => `    '${path}:${flag.long}') ${valueReply(flag)}return ;;`);
}

function valueReply({ choices }: Flag): string {
  return choices.length === 0
    ? ''
    : `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); `;
}

function wordCase({ path, words, flags }: Place): string {
  const names = words.map(([word]) => word).join(' ');
  return `    '${path}') words='${names}' flags='${flags.map(({ long }) => long).join(' ')}' ;;`;
}
