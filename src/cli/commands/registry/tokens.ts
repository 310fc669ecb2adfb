import { AtollError } from '../../../core/errors.ts';
import { parseSpan } from '../../../core/format.ts';
import { formatGrant, parseGrant } from '../../../registry/auth/grants.ts';
import { createRobot, isExpired, listRobots, revokeRobot } from '../../../registry/auth/robots.ts';
import { defineCommand } from '../../command.ts';
import { columns } from '../../table.ts';
import { FOLDER_OPTIONS, type FolderValues, readFolder } from './image-registry-folder.ts';

async function tokensPath(values: FolderValues): Promise<string> {
  const { auth } = await readFolder(values);
  if (auth?.tokens !== undefined) return auth.tokens;
  throw new AtollError('INPUT_INVALID', 'Cannot use tokens: the registry has no file of them', {
    hint: 'Add "tokens: tokens.json" to "auth" in its configuration, and restart it',
  });
}

function lifeOf(text: string): number | undefined {
  if (text === 'never') return undefined;
  const ms = parseSpan(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new AtollError('USAGE', `Cannot read "${text}" as a length of time`, {
    hint: 'Write it as 12h, 90d or never',
  });
}

export const tokenCreateCommand = defineCommand({
  name: 'registry token create',
  summary: "Make a robot's token and print it, once",
  description:
    'Clients use it as a password with its name as the user, as an identity token, or as a bearer ' +
    'token. Only a hash of it is kept.',
  arguments: [{ name: 'name', summary: 'Name of the robot' }],
  options: {
    grant: {
      type: 'strings',
      value: 'ROLE[:REPO]',
      summary: 'pull, push or delete, for all repositories or those below one (default pull)',
    },
    expires: {
      type: 'string',
      value: 'LIFE',
      default: '90d',
      summary: 'How long it is valid: 12h, 90d, or never',
    },
    ...FOLDER_OPTIONS,
  },
  examples: {
    'atoll registry token create ci --grant push:team --expires 30d':
      'may push below team, a month',
  },
  verbatim: true,
  async run(ctx, { args, options }) {
    const grants = options.grant.map(parseGrant);
    const name = args.name ?? '';
    const made = await createRobot(ctx, await tokensPath(options), {
      name,
      grants: grants.length > 0 ? grants : [{ role: 'pull', prefix: '' }],
      lifeMs: lifeOf(options.expires),
    });
    return { name, ...made };
  },
  text: ({ name, token }) => `${name} ${token}`,
});

export const tokenListCommand = defineCommand({
  name: 'registry token list',
  summary: 'List tokens, what they may do and until when',
  options: FOLDER_OPTIONS,
  examples: { 'atoll registry token list': 'one line per token' },
  async run(ctx, { options }) {
    const robots = await listRobots(await tokensPath(options));
    return {
      tokens: robots.map(({ id, name, grants, createdAt, expiresAt }) => ({
        id,
        name,
        grants: grants.map(formatGrant),
        createdAt,
        expiresAt,
        expired: isExpired({ expiresAt }, ctx.now()),
      })),
    };
  },
  text: ({ tokens }) =>
    columns(
      tokens.map(({ id, name, grants, expiresAt, expired }) => [
        name,
        id,
        grants.join(' '),
        `${expired ? 'expired' : 'until'} ${expiresAt?.slice(0, 10) ?? 'revoked'}`,
      ]),
    ).join('\n'),
});

export const tokenRevokeCommand = defineCommand({
  name: 'registry token revoke',
  summary: 'Revoke a token; a running registry forgets it within a second',
  arguments: [{ name: 'name', summary: 'Name or id of the token' }],
  options: FOLDER_OPTIONS,
  examples: { 'atoll registry token revoke ci': 'and what was made with it' },
  async run(ctx, { args, options }) {
    await revokeRobot(ctx, await tokensPath(options), args.name ?? '');
    return { revoked: args.name ?? '' };
  },
  text: ({ revoked }) => `revoked ${revoked}`,
});
