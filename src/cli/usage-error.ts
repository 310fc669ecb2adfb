import type { CommanderError, Command as Node } from 'commander';
import { AtollError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { insteadOf } from './oc-mirror-flags.ts';

/** What commander found wrong, in our words and with the nearest thing that exists. */
export function usageError(node: Node, error: CommanderError): AtollError {
  const name = pathOf(node);
  const found = error.message.replace(/^error: /, '').replace(/\.$/, '');
  const subject = name === 'atoll' ? 'atoll' : name.slice('atoll '.length);
  return new AtollError('USAGE', `Cannot run "${subject}": ${capitalised(found)}`, {
    hint: hintFor(node, error, name),
  });
}

function hintFor(node: Node, error: CommanderError, name: string): string {
  const theirs = error.code === 'commander.unknownOption' ? insteadOf(wordOf(error)) : undefined;
  if (theirs && name.startsWith('atoll mirror')) return `A flag of oc-mirror. ${theirs}`;
  const meant = suggestion(node, error);
  return `${meant ? `Did you mean "${meant}"? ` : ''}Run "${name} --help"`;
}

const wordOf = ({ message }: CommanderError): string => /'([^']*)'/.exec(message)?.[1] ?? '';

function suggestion(node: Node, error: CommanderError): string | undefined {
  const word = wordOf(error);
  if (error.code === 'commander.unknownOption')
    return nearest(word.split('=')[0] ?? '', flags(node));
  if (error.code === 'commander.unknownCommand') return nearestCommand(node, word);
  return undefined;
}

function flags(node: Node): string[] {
  const chain = [node, ...ancestors(node)];
  const own = chain.flatMap((each) => each.options.flatMap((option) => option.long ?? []));
  return [...own, '--help'];
}

/** A name at this level, or else a command further down that ends with the word. */
function nearestCommand(node: Node, word: string): string | undefined {
  const deeper = node.commands.flatMap((group) =>
    group.commands.filter((child) => child.name() === word).map((child) => pathOf(child)),
  );
  const near = nearest(
    word,
    node.commands.map((child) => child.name()),
  );
  return deeper[0] ?? (near ? `${pathOf(node)} ${near}` : undefined);
}

function ancestors(node: Node): Node[] {
  return node.parent ? [node.parent, ...ancestors(node.parent)] : [];
}

/** `atoll mirror copy` */
function pathOf(node: Node): string {
  return [...ancestors(node).reverse(), node].map((each) => each.name()).join(' ');
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
