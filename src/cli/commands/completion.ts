import { AtollError } from '../../core/errors.ts';
import { type Command, defineCommand } from '../command.ts';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { type Place, placesOf } from '../completion/places.ts';
import { zshCompletion } from '../completion/zsh.ts';

const SHELLS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** Takes the list by a function, because this command is part of it. */
export function completionCommand(
  commands: () => readonly Command[],
  groups: Readonly<Record<string, string>>,
): Command {
  return defineCommand({
    name: 'completion',
    summary: 'Print the completion script of a shell',
    arguments: [{ name: 'shell', summary: 'bash, zsh or fish' }],
    examples: {
      'source <(atoll completion bash)': 'complete in this bash; in ~/.bashrc, in every one',
      ['atoll completion zsh > "$' + '{fpath[1]}/_atoll"']: 'install it for zsh',
      'atoll completion fish | source': 'complete in this fish',
    },
    async run(_ctx, { args }) {
      const shell = args.shell ?? '';
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (!script) {
        throw new AtollError('USAGE', `Cannot complete for "${shell}": it is not a known shell`, {
          hint: `Give one of ${Object.keys(SHELLS).join(', ')}`,
        });
      }
      return { shell, script: script(placesOf(commands(), groups)) };
    },
    text: ({ script }) => script,
  });
}
