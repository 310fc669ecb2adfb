import { formatGrant, type Grant, parseGrant } from '../../../registry/auth/grants.ts';
import { generatePassword } from '../../../registry/auth/passwords.ts';
import { addUser, listUsers, removeUser, setPassword } from '../../../registry/auth/users.ts';
import { defineCommand, type Terminal } from '../../command.ts';
import { passwordFromStdin } from '../../password-stdin.ts';
import { FOLDER_OPTIONS, userPaths } from './image-registry-folder.ts';

const NAME = { name: 'name', summary: 'Name of the user' } as const;
const PASSWORD_STDIN = {
  type: 'boolean',
  summary: 'Read the password from standard input instead of making one up',
} as const;

/** Undefined when the password was given: only a generated one is shown. */
interface Secret {
  readonly name: string;
  readonly password: string | undefined;
}

async function choosePassword(
  terminal: Terminal,
  verb: 'add' | 'passwd',
  user: string,
  fromStdin: boolean,
) {
  const example = `atoll registry user ${verb} ${user} --password-stdin < password.txt`;
  const given = fromStdin ? await passwordFromStdin(terminal, user, example) : undefined;
  return { password: given ?? generatePassword(), generated: given === undefined };
}

const secretText = ({ name, password }: Secret) =>
  password === undefined ? name : `${name} ${password}`;

export const userAddCommand = defineCommand({
  name: 'registry user add',
  summary: 'Add a user; prints the password unless it was given',
  arguments: [NAME],
  options: {
    grant: {
      type: 'strings',
      value: 'ROLE[:REPO]',
      summary: 'pull, push or delete, for all repositories or those below one (default pull)',
    },
    passwordStdin: PASSWORD_STDIN,
    ...FOLDER_OPTIONS,
  },
  examples: {
    'atoll registry user add nodes --grant pull': 'may pull everything',
    'atoll registry user add ci --grant push:ci --grant pull': 'may push below ci',
  },
  verbatim: true,
  async run(ctx, { args, options, terminal }): Promise<Secret> {
    const name = args.name ?? '';
    const grants = options.grant.map(parseGrant);
    const { password, generated } = await choosePassword(
      terminal,
      'add',
      name,
      options.passwordStdin,
    );
    const allowed: readonly Grant[] = grants.length > 0 ? grants : [{ role: 'pull', prefix: '' }];
    await addUser(ctx, await userPaths(options), { name, password, grants: allowed });
    return { name, password: generated ? password : undefined };
  },
  text: secretText,
});

export const userPasswdCommand = defineCommand({
  name: 'registry user passwd',
  summary: "Change a user's password; prints the new one unless it was given",
  arguments: [NAME],
  options: { passwordStdin: PASSWORD_STDIN, ...FOLDER_OPTIONS },
  examples: {
    'atoll registry user passwd ci': 'with a generated password',
  },
  verbatim: true,
  async run(ctx, { args, options, terminal }): Promise<Secret> {
    const name = args.name ?? '';
    const { password, generated } = await choosePassword(
      terminal,
      'passwd',
      name,
      options.passwordStdin,
    );
    await setPassword(ctx, await userPaths(options), name, password);
    return { name, password: generated ? password : undefined };
  },
  text: secretText,
});

export const userRemoveCommand = defineCommand({
  name: 'registry user remove',
  summary: 'Remove a user; a running registry forgets them within a second',
  arguments: [NAME],
  options: FOLDER_OPTIONS,
  examples: {
    'atoll registry user remove ci': 'takes the user away',
  },
  async run(ctx, { args, options }) {
    await removeUser(ctx, await userPaths(options), args.name ?? '');
    return { removed: args.name ?? '' };
  },
  text: ({ removed }) => `removed ${removed}`,
});

export const userListCommand = defineCommand({
  name: 'registry user list',
  summary: 'List users and what they may do',
  options: FOLDER_OPTIONS,
  examples: {
    'atoll registry user list': 'one line per user',
  },
  async run(_ctx, { options }) {
    const users = await listUsers(await userPaths(options));
    return { users: users.map(({ name, grants }) => ({ name, grants: grants.map(formatGrant) })) };
  },
  text: ({ users }) => users.map(({ name, grants }) => `${name}  ${grants.join(' ')}`).join('\n'),
});
