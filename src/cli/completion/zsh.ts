import type { Flag, Place } from './places.ts';

/** For `source <(atoll completion zsh)`, or a file `_atoll` on the fpath. */
export function zshCompletion(places: readonly Place[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `#compdef atoll
_atoll() {
  local at='' word
  local -a found flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      (${known.join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at:\${words[CURRENT-1]}" in
${places.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${places.map(placeCase).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe 'option' flags
  elif (( $#found )); then
    _describe 'command' found
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_atoll" ]; then _atoll "$@"; else compdef _atoll atoll; fi`;
}

function valueCases({ path, flags }: Place): string[] {
  return flags
    .filter(({ takes }) => takes !== 'nothing')
    .map((flag) => `    (${quoted(`${path}:${flag.long}`)}) ${valueReply(flag)}; return ;;`);
}

function valueReply({ choices, takes }: Flag): string {
  if (choices.length > 0) return `compadd -- ${choices.map(quoted).join(' ')}`;
  return takes === 'file' ? '_files' : ':';
}

function placeCase({ path, words, flags }: Place): string {
  const found = words.map(([word, summary]) => quoted(`${word}:${summary}`));
  const options = flags.map(({ long, summary }) => quoted(`${long}:${summary}`));
  return `    (${quoted(path)}) found=(${found.join(' ')}) flags=(${options.join(' ')}) ;;`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
