import { AtollError } from '../../../core/errors.ts';
import { formatPullSecret, mergePullSecret } from '../../../generate/pull-secret.ts';
import { passwordFrom, readOptional } from './flag-values.ts';
import { renderCommand } from './render-command.ts';

export const renderAuthCommand = renderCommand({
  name: 'render auth',
  summary: 'A pull secret with the mirror in it, as oc and nodes want it',
  description:
    'Adds the login of the mirror to a pull secret. The password comes from standard input, never ' +
    'from the command line. Upstream entries are kept unless --keep says otherwise.',
  options: {
    existing: { type: 'string', value: 'FILE', summary: 'Pull secret or auth file to start from' },
    registry: { type: 'string', value: 'HOST[/PATH]', summary: 'Registry to add' },
    username: {
      type: 'string',
      value: 'NAME',
      summary: 'User there; the password is read from stdin',
    },
    keep: {
      type: 'strings',
      value: 'HOST',
      summary: 'Keep only this entry of the existing file, or "none" or "all"',
    },
  },
  examples: [
    [
      'atoll render auth --existing pull-secret.json --registry mirror.example:5000 --username admin --to auth.json < password.txt',
      'mirror added, the rest kept',
    ],
    [
      'atoll render auth --existing auth.json --keep mirror.example:5000',
      'only the mirror: what a strict site gives to its nodes',
    ],
  ],
  async render(_ctx, { options, terminal }) {
    const { registry, username } = options;
    if ((registry === undefined) !== (username === undefined)) {
      throw new AtollError(
        'USAGE',
        'Cannot add a registry: "--registry" and "--username" belong together',
        {
          hint: 'Give both, and the password on standard input',
        },
      );
    }
    const add =
      registry === undefined || username === undefined
        ? []
        : [{ registry, username, password: await passwordFrom(terminal, username) }];
    const existing = await readOptional(options.existing);
    const secret = mergePullSecret({ existing, add, keep: keepOf(options.keep) });
    return { contents: `${formatPullSecret(secret)}\n`, secret: true };
  },
});

function keepOf(values: readonly string[]): 'all' | 'none' | readonly string[] {
  const [only] = values;
  if (only === undefined) return 'all';
  return values.length === 1 && (only === 'all' || only === 'none') ? only : values;
}
