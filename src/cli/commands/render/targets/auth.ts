import * as z from 'zod';
import { AtollError } from '../../../../core/errors.ts';
import { formatPullSecret, mergePullSecret } from '../../../../generate/pull-secret.ts';
import { hasMirror, mirrorHost } from '../../../../site/mirror-place.ts';
import { passwordFromStdin } from '../../../password-stdin.ts';
import { file } from '../flag-files.ts';
import { manyTexts, text } from '../flags.ts';
import { renderTarget } from '../target.ts';

const EXAMPLE = 'atoll render auth … < password.txt';

export const authTarget = renderTarget({
  name: 'auth',
  summary: 'A pull secret with the mirror in it, as oc and nodes want it',
  description:
    'Adds the login of the mirror to a pull secret. The password comes from standard input, never ' +
    'from the command line. Upstream entries are kept unless --keep says otherwise.',
  schema: z.object({
    existing: file('Pull secret or auth file to start from').optional(),
    registry: text('HOST[/PATH]', 'Registry to add').optional(),
    username: text('NAME', 'User there; the password is read from stdin').optional(),
    keep: manyTexts('HOST', 'Keep only this entry of the existing file, or "none" or "all"'),
  }),
  examples: {
    'atoll render auth --existing pull-secret.json --registry mirror.example:5000 --username admin --to auth.json < password.txt':
      'mirror added, the rest kept',
    'atoll render auth --existing auth.json --keep mirror.example:5000':
      'only the mirror: what a strict site gives to its nodes',
  },
  secret: true,
  fromSite: async (inputs) => ({
    existing: await inputs.upstreamSecret(),
    ...(hasMirror(inputs.site) ? { registry: mirrorHost(inputs.site) } : {}),
  }),
  make: async ({ existing, registry, username, keep }, _ctx, terminal) => {
    if ((registry === undefined) !== (username === undefined)) throw halfALogin();
    const add =
      registry === undefined || username === undefined
        ? []
        : [{ registry, username, password: await passwordFromStdin(terminal, username, EXAMPLE) }];
    return `${formatPullSecret(mergePullSecret({ existing, add, keep: keepOf(keep) }))}\n`;
  },
});

function halfALogin(): AtollError {
  return new AtollError(
    'USAGE',
    'Cannot add a registry: "--registry" and "--username" belong together',
    { hint: 'Give both, and the password on standard input' },
  );
}

function keepOf(values: readonly string[]): 'all' | 'none' | readonly string[] {
  const [only] = values;
  if (only === undefined) return 'all';
  return values.length === 1 && (only === 'all' || only === 'none') ? only : values;
}
