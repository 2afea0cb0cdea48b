/** @operation */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type CommandEnd, runCommand, runJson } from '../../support/commands.js';
import type { Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

interface ListedUser {
  id: number;
  username: string;
  email: string;
}

describe('trellis user', () => {
  let trellis: Trellis;
  let env: Record<string, string>;
  let ada: Person;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    env = trellis.sharedEnvironment;
    ada = await trellis.factories.user({ username: 'ada', email: 'ada@example.com', admin: true });
  });

  afterAll(() => trellis.stop());

  const user = (...args: string[]): Promise<CommandEnd> => runCommand(['user', ...args], env);

  const signIn = (login: string, password: string) =>
    trellis.anonymous.post('/session').send({ login, password });

  it('creates an account whose password is read from standard input', async () => {
    const args = ['user', 'create', 'grace', '--email', 'Grace@example.com', '--password-stdin'];
    const child = spawn(process.execPath, [path.resolve('dist/src/main.js'), ...args], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end('correct horse\n');
    expect(await text(child.stdout)).toMatch(/^Created user grace with id \d+\.\n$/);
    const { body } = await signIn('grace', 'correct horse').expect(200);
    expect(body).toMatchObject({ name: 'grace', email: 'grace@example.com', is_admin: false });
    const namespaces = await trellis.rows(`SELECT 1 FROM namespaces WHERE path = 'grace'`);
    expect(namespaces).toHaveLength(1);
  });

  it('generates a password and shows it once', async () => {
    const args = ['create', 'alan', '--email', 'alan@example.com', '--name', 'Alan', '--admin'];
    const created = await runJson<ListedUser & { password: string }>(
      ['user', ...args, '--random-password', '--projects-limit', '3'],
      env,
    );
    expect(created).toMatchObject({ username: 'alan', name: 'Alan', is_admin: true });
    expect(created).toMatchObject({ projects_limit: 3 });
    await signIn('alan', created.password).expect(200);
  });

  it.each([
    [['create', 'ada', '--email', 'new@example.com'], 'Username has already been taken'],
    [['create', 'ok', '--email', 'ada@example.com'], 'Email has already been taken'],
    [['create', 'no name', '--email', 'x'], /^email is invalid\nusername can contain only letters/],
    [['reset-token', 'nobody'], 'There is no user nobody.'],
  ])('refuses the same input as the API: %j', async (args, failure) => {
    const random = args[0] === 'create' ? ['--random-password'] : [];
    const end = await user(...args, ...random);
    expect(end).toMatchObject({ code: 1, output: '' });
    expect(end.failure).toMatch(failure);
  });

  it('reads no password without a terminal unless requested', async () => {
    const end = await user('reset-password', 'ada');
    expect(end.failure).toContain('add --password-stdin or --random-password');
    const both = await user('reset-password', 'ada', '--random-password', '--password-stdin');
    expect(both.failure).toContain('exclude each other');
  });

  it('replaces the private token', async () => {
    const { private_token: token } = await runJson<{ private_token: string }>(
      ['user', 'reset-token', 'ada'],
      env,
    );
    await trellis.as(ada).get('/user').expect(401);
    await trellis.as({ token }).get('/user').expect(200);
    ada = { ...ada, token };
  });

  it('replaces the password', async () => {
    const { output } = await user('reset-password', 'ada@example.com', '--random-password');
    const [, password = ''] = /^Password \(shown once\): (\S+)$/m.exec(output) ?? [];
    await signIn('ada', ada.password).expect(401);
    await signIn('ada', password).expect(200);
  });

  it('lists accounts page by page', async () => {
    await trellis.factories.user({ username: 'lister-1' });
    await trellis.factories.user({ username: 'lister-2' });
    await trellis.factories.user({ username: 'lister-3' });
    const list = (...args: string[]) =>
      runJson<{ users: ListedUser[]; before: number | null }>(['user', 'list', ...args], env);
    const first = await list('--search', 'lister', '--limit', '2');
    expect(first.users.map(({ username }) => username)).toEqual(['lister-3', 'lister-2']);
    const rest = ['--search', 'lister', '--limit', '2', '--before', String(first.before)];
    expect(await list(...rest)).toMatchObject({ users: [{ username: 'lister-1' }], before: null });
    const admins = await list('--admins');
    expect(admins.users.map(({ username }) => username)).toEqual(['alan', 'ada']);
    const { output } = await user('list', '--search', 'alan');
    expect(output).toMatch(
      /^ *id {2}user name {2}name\n *\d+ {2}alan {7}Alan <alan@example\.com> {2}\(administrator\)\n$/,
    );
  });

  it('blocks and unblocks, but not the last administrator', async () => {
    expect((await user('block', 'grace')).output).toBe('grace is blocked.\n');
    expect((await user('block', 'grace')).output).toBe('grace is already blocked.\n');
    await signIn('grace', 'correct horse').expect(401);
    const { output } = await user('list', '--blocked');
    expect(output).toContain('grace <grace@example.com>  (blocked)');
    expect((await user('unblock', 'grace')).output).toBe('grace is active.\n');
    expect((await user('block', 'alan')).code).toBe(0);
    expect((await user('block', 'ada')).failure).toBe('ada is the last active administrator.');
  });

  it('refuses to run as another account', async () => {
    const own = process.getuid?.() ?? 0;
    const account = jest.spyOn(process, 'getuid').mockReturnValue(own + 1);
    try {
      const { failure } = await user('list');
      expect(failure).toBe(
        `${trellis.dataDir} belongs to account ${own}: run this command as that account, as the service runs.`,
      );
    } finally {
      account.mockRestore();
    }
  });
});
