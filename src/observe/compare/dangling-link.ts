import type { EvidenceLine } from '../evidence.ts';
import { type Comparison, firstMatch } from './comparison.ts';

/** What a path is to be and is not. */
const NOT_USABLE =
  /(?<![\w.@/-])(?<path>\/[\w.@/-]{1,200})['"’]?:? (?:already )?(?:exists (?:and|but) )?is not a dir|(?:\b(?:open|stat|mkdir)|^\w+:)(?: \w+)* ['"‘]?(?<asked>\/[\w.@/-]{1,200})['"’]?: (?:file exists|not a directory|no such file)/i;
/** A row of "ls -l". */
const LINK = /^\s*(?:\d+ +)?l[rwx-]{9}\S* .{0,80} (?<name>\S{1,200}) -> (?<target>\S{1,200})\s*$/;

const isOn = (path: string, name: string): boolean =>
  name.startsWith('/') ? `${path}/`.startsWith(`${name}/`) : path.split('/').includes(name);

const linkOf = (lines: readonly EvidenceLine[], path: string) =>
  lines.flatMap((line) => {
    const { name = '', target = '' } = LINK.exec(line.text)?.groups ?? {};
    return name !== '' && isOn(path, name) ? [{ line, name, target }] : [];
  })[0];

/** Who cannot use a path and lists it often finds a link there, which leads to nothing. */
export const danglingLink: Comparison = (lines) => {
  const ill = firstMatch(lines, NOT_USABLE);
  const path = ill?.match.groups?.path ?? ill?.match.groups?.asked;
  const link = path === undefined ? undefined : linkOf(lines, path);
  if (!ill || !link) return undefined;
  const name = link.name.startsWith('/') ? link.name : `${path?.split(link.name)[0]}${link.name}`;
  return {
    id: 'compared-dangling-link',
    cause: `${name} is a symbolic link to ${link.target}, which is not there or not what is wanted`,
    remedy: `Remove the link, or make what it leads to ("ls -lL ${name}"), and start again what failed`,
    evidence: [ill.line, link.line],
    decides: /says-(?:itself|file|exists|object)|on-itself|resolver/,
  };
};
