import { type INestApplicationContext } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';
import type { User, UsersService } from '../../modules/users/index.js';
import type { ShownUser } from '../../modules/users/model/user-list.query.js';
import { type CommandCall, type CommandResult, concludeWith } from '../conclude.js';
import type { PasswordOptions } from '../password.js';
import { CommandError } from '../errors.js';

const PASSWORD_STDIN = ['--password-stdin', 'read the password from standard input'] as const;
const RANDOM_PASSWORD = ['--random-password', 'make a password, and print it once'] as const;

interface CreateOptions extends PasswordOptions {
  email: string;
  name?: string;
  admin?: boolean;
  external?: boolean;
  projectsLimit?: number;
}

interface ListOptions {
  search?: string;
  blocked?: boolean;
  admins?: boolean;
  before?: number;
  limit: number;
}

/** Adds `trellis user`. Users are named by user name or e-mail address. */
export function addUser(program: Command): void {
  const user = program.command('user').description('manage accounts, with the rules of the API');
  concludeWith(
    user
      .command('create <username>')
      .description('create an account with its personal namespace; asks for the password')
      .requiredOption('--email <address>', 'primary e-mail address')
      .option('--name <name>', 'full name (default: the user name)')
      .option('--admin', 'an administrator')
      .option('--external', 'an account that owns neither projects nor groups')
      .option('--projects-limit <number>', 'most projects it may own', wholeNumber)
      .option(...PASSWORD_STDIN)
      .option(...RANDOM_PASSWORD),
    createUser,
  );
  concludeWith(
    user
      .command('list')
      .description('list accounts, newest first')
      .option('--search <text>', 'part of user name, name or e-mail address')
      .option('--blocked', 'blocked accounts only')
      .option('--admins', 'administrators only')
      .option('--before <id>', 'those with lower ids: the next page', wholeNumber)
      .option('--limit <number>', 'most accounts of the page', pageSize, 100),
    listUsers,
  );
  concludeWith(
    user
      .command('reset-token <user>')
      .description('replace the private token, and print the new one once'),
    resetToken,
  );
  concludeWith(
    user
      .command('reset-password <user>')
      .description('replace the password; asks for it')
      .option(...PASSWORD_STDIN)
      .option(...RANDOM_PASSWORD),
    resetPassword,
  );
  concludeWith(
    user.command('block <user>').description('refuse all credentials of an account'),
    (call: CommandCall<object>) => setBlocked(call, true),
  );
  concludeWith(
    user.command('unblock <user>').description('accept the credentials of an account again'),
    (call: CommandCall<object>) => setBlocked(call, false),
  );
}

async function createUser(call: CommandCall<CreateOptions>): Promise<CommandResult> {
  const { options, terminal } = call;
  const { choosePassword } = await import('../password.js');
  const username = call.args[0] ?? '';
  const { password, isRandom } = await choosePassword(options, terminal);
  return withUsers(async (users, app) => {
    const user = await users.create({
      username,
      name: options.name ?? username,
      email: options.email,
      password,
      admin: options.admin,
      external: options.external,
      projectsLimit: options.projectsLimit,
    });
    const shown = isRandom ? [`Password (shown once): ${password}`] : [];
    return {
      text: [`Created user ${user.username} with id ${user.id}.`, ...shown].join('\n'),
      json: { ...(await present(app, user)), ...(isRandom ? { password } : {}) },
    };
  });
}

async function listUsers({ options }: CommandCall<ListOptions>): Promise<CommandResult> {
  const { withStatements } = await import('../open.js');
  const { Urls } = await import('../../platform/config/index.js');
  const { listUsersBefore } = await import('../../modules/users/model/user-list.query.js');
  const { presentUser } = await import('../../modules/users/v3/present-user.js');
  const { search, blocked = false, admins = false, before, limit } = options;
  const filters = { search, blocked, admins, active: false, external: false };
  return withStatements(async (statements, config) => {
    const listed = await listUsersBefore(statements, filters, before, limit);
    const last = listed.length < limit ? undefined : listed.at(-1)?.user.id;
    const lines = toTable(listed.map(({ user }) => user));
    if (last !== undefined) lines.push(`More by --before ${last}`);
    const presentation = { urls: new Urls(config), config };
    return {
      text: listed.length === 0 ? 'No accounts.' : lines.join('\n'),
      json: {
        users: listed.map((user) => presentUser(user, presentation)),
        before: last ?? null,
      },
    };
  });
}

/** A heading and a line for each account, in columns. */
function toTable(users: readonly ShownUser[]): string[] {
  const rows = [
    ['id', 'user name', 'name'] as const,
    ...users.map((user) => [user.id, user.username, describe(user)] as const),
  ].map(([id, username, name]) => [String(id), username, name] as const);
  const widthOf = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length));
  const [idWidth, nameWidth] = [widthOf(0), widthOf(1)];
  return rows.map(
    ([id, username, name]) => `${id.padStart(idWidth)}  ${username.padEnd(nameWidth)}  ${name}`,
  );
}

function describe({ name, email, admin, external, state }: ShownUser): string {
  const marks = [...(admin ? ['administrator'] : []), ...(external ? ['external'] : [])];
  if (state === 'blocked') marks.push(state);
  const suffix = marks.length === 0 ? '' : `  (${marks.join(', ')})`;
  return `${name} <${email}>${suffix}`;
}

function resetToken(call: CommandCall<object>): Promise<CommandResult> {
  return withUser(call, async (user, users) => {
    const token = await users.resetToken(user.id);
    return {
      text: `The private token of ${user.username} (shown once): ${token}`,
      json: { id: user.id, username: user.username, private_token: token },
    };
  });
}

async function resetPassword(call: CommandCall<PasswordOptions>): Promise<CommandResult> {
  const { choosePassword } = await import('../password.js');
  const { password, isRandom } = await choosePassword(call.options, call.terminal);
  return withUser(call, async ({ id, username }, users) => {
    await users.update(id, { password });
    const shown = isRandom ? [`Password (shown once): ${password}`] : [];
    return {
      text: [`Replaced the password of ${username}.`, ...shown].join('\n'),
      json: { id, username, ...(isRandom ? { password } : {}) },
    };
  });
}

function setBlocked(call: CommandCall<object>, blocks: boolean): Promise<CommandResult> {
  return withUser(call, async ({ id, username }, users) => {
    const change = blocks ? users.block(null, id) : users.unblock(id);
    const isChanged = await change.catch((error: unknown) => explainRefusal(error, username));
    const state = blocks ? 'blocked' : 'active';
    return {
      text: `${username} is ${isChanged ? '' : 'already '}${state}.`,
      json: { id, username, state, changed: isChanged },
    };
  });
}

/** Names the account that cannot be blocked. */
async function explainRefusal(error: unknown, username: string): Promise<never> {
  const { DomainError } = await import('../../platform/errors/index.js');
  const isRefused = error instanceof DomainError && error.detail.code === 'last-administrator';
  if (!isRefused) throw error;
  throw new CommandError(`${username} is the last active administrator.`);
}

async function withUsers(
  work: (users: UsersService, app: INestApplicationContext) => Promise<CommandResult>,
): Promise<CommandResult> {
  const { withApplication } = await import('../open.js');
  const { UsersService } = await import('../../modules/users/index.js');
  return withApplication((app) => work(app.get(UsersService), app));
}

/** Finds the account that the argument names. */
function withUser(
  { args }: CommandCall<object>,
  work: (user: User, users: UsersService) => Promise<CommandResult>,
): Promise<CommandResult> {
  const login = args[0] ?? '';
  return withUsers(async (users) => {
    const user = await users.findByLogin(login);
    if (user === null) throw new CommandError(`There is no user ${login}.`);
    return work(user, users);
  });
}

async function present(app: INestApplicationContext, user: User): Promise<object> {
  const { UsersService } = await import('../../modules/users/index.js');
  const { UserPresenter } = await import('../../modules/users/v3/index.js');
  return app.get(UserPresenter).full(await app.get(UsersService).loadDetails(user));
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.');
  return Number(text);
}

function pageSize(text: string): number {
  const size = wholeNumber(text);
  if (size === 0) throw new InvalidArgumentError('It takes a number above 0.');
  return size;
}
