import { once } from 'node:events';
import { connect } from 'node:net';
import type { MadeProject, Person } from '../../support/factories.js';
import { type KeyKind, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';

const NOT_ALLOWED = "The command you're trying to execute is not allowed.\n";
const MISSING = 'The project you were looking for could not be found.\n';

describe('Git over SSH: signing in and commands', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;
  let keys: SshPerson;
  const made: SshPerson[] = [];

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
    keys = await holder(owner);
  });
  afterAll(async () => {
    await Promise.all(made.map((one) => one.remove()));
    await trellis.restore();
  });

  async function holder(...args: [Person | null, KeyKind?]): Promise<SshPerson> {
    const one = await SshPerson.create(trellis, ...args);
    made.push(one);
    return one;
  }

  it('greets users with keys of every kind and needs no command', async () => {
    const greeting = { code: 0, stdout: `Welcome, ${owner.user.name}!\n`, stderr: '' };
    const kinds = ['rsa', 'ecdsa', 'ed25519 with a leading zero'] as const;
    expect(await keys.ssh([])).toEqual(greeting);
    for (const kind of kinds) expect(await (await holder(owner, kind)).ssh([])).toEqual(greeting);
    const terminal = await keys.ssh([], { options: ['-tt'] });
    expect(terminal.stderr).toContain('PTY allocation request failed');
  });

  it('refuses unknown keys, other users and passwords', async () => {
    const stranger = await holder(null);
    const denied = { code: 255, stdout: '' };
    for (const answer of [
      await stranger.ssh([]),
      await keys.ssh([], { user: 'root' }),
      await keys.ssh([], { user: owner.user.username }),
      await keys.ssh([], { options: ['-o', 'PubkeyAuthentication=no'] }),
    ]) {
      expect(answer).toMatchObject(denied);
      expect(answer.stderr).toContain('Permission denied (publickey).');
    }
  });

  it('accepts a key that was added with several blanks after its type', async () => {
    const one = await holder(null);
    const key = one.line.replace(' ', ' \t ');
    await trellis.as(owner).post('/user/keys', { title: 'Blanks', key }).expect(201);
    expect((await one.ssh([])).code).toBe(0);
  });

  it('refuses removed keys, and keys without an account', async () => {
    const one = await holder(owner);
    const listed = await trellis.as(owner).get('/user/keys').expect(200);
    const [{ id }] = listed.body as [{ id: number }];
    expect((await one.ssh([])).code).toBe(0);
    await trellis
      .as(owner)
      .delete(`/user/keys/${String(id)}`)
      .expect(200);
    expect((await one.ssh([])).code).toBe(255);

    const deploy = await holder(owner);
    await trellis.rows('UPDATE ssh_keys SET user_id = NULL WHERE key = $1', [deploy.line]);
    expect((await deploy.ssh([])).code).toBe(255);
  });

  it('reports to blocked accounts that they are blocked, for any command', async () => {
    const blocked = await trellis.factories.user();
    const one = await holder(blocked);
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
    const answer = { code: 1, stdout: '', stderr: 'Your account has been blocked.\n' };
    expect(await one.ssh([])).toEqual(answer);
    expect(await one.ssh([`git-upload-pack '${project.fullPath}.git'`])).toEqual(answer);
  });

  it('is refused while the instance allows HTTP only', async () => {
    const answer = { code: 1, stdout: '', stderr: 'Git access over SSH is not allowed\n' };
    const set = (protocol: string | null) =>
      trellis.rows('UPDATE application_settings SET enabled_git_access_protocol = $1', [protocol]);
    await set('http');
    expect(await keys.ssh([`git-upload-pack '${project.fullPath}.git'`])).toEqual(answer);
    expect(await keys.ssh([])).toEqual(answer);
    for (const protocol of ['ssh', null]) {
      await set(protocol);
      expect((await keys.ssh([])).code).toBe(0);
    }
  });

  it.each([
    'ls',
    'sh -c id',
    'git',
    'git-upload-pack',
    'git upload-pack x/y.git',
    'git-shell',
    'git-receive-pack x/y.git',
    "git-upload-pack 'x/y.git';id",
    "git-upload-pack 'x/y.git' 'z/y.git'",
    "git-upload-pack --upload-pack=id 'x/y.git'",
    "git-upload-pack  'x/y.git'",
    "git-upload-pack 'x/y.git' ",
    "git-upload-pack 'x/y.git'\nid",
    'git-upload-pack "x/y.git"',
    "git-upload-pack 'x/y.git",
    "git-upload-pack $'x/y.git'",
    "/usr/bin/git-upload-pack 'x/y.git'",
    'scp -f /etc/passwd',
    'x'.repeat(20_000),
  ])('runs no other command: %.60j', async (command) => {
    expect(await keys.ssh([command])).toEqual({ code: 1, stdout: '', stderr: NOT_ALLOWED });
  });

  it.each([
    "'../x'",
    "'../../etc/passwd'",
    "'/..//x/y.git'",
    "'x/../../y.git'",
    "''",
    "'/'",
    "'x'",
    "'x/y/z.git'",
    "'-x/--y.git'",
    "'./.git'",
    "'../.git'",
    "'x\u0007/y.git'",
    "'x/y.git'\\''z'",
    "'x/y%2e.git'",
    "'x/y.git\n'",
    `'x/${'y'.repeat(4_000)}.git'`,
  ])('finds no project at %.60j', async (argument) => {
    for (const service of ['git-upload-pack', 'git-receive-pack', 'git-upload-archive']) {
      const answer = await keys.ssh([`${service} ${argument}`]);
      expect(answer).toEqual({ code: 1, stdout: '', stderr: MISSING });
    }
  });

  it('forwards no ports, agents or displays, and has no subsystem', async () => {
    const forward = ['-o', 'ExitOnForwardFailure=yes', '-R', '0:127.0.0.1:9'];
    expect((await keys.ssh([], { options: forward })).code).toBe(255);
    const through = await keys.ssh([], { options: ['-W', '127.0.0.1:9'] });
    expect(through.code).not.toBe(0);
    expect(through.stderr).toContain('stdio forwarding failed');
    const sftp = await keys.ssh(['sftp'], { options: ['-s'] });
    expect(sftp.code).not.toBe(0);
    expect(sftp.stderr).toContain('subsystem request failed');
    const agent = await keys.ssh([], { options: ['-A'] });
    expect(agent).toMatchObject({ code: 0, stdout: `Welcome, ${owner.user.name}!\n` });
  });

  it('announces only its own name', async () => {
    const socket = connect(keys.port, '127.0.0.1');
    const [line] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(line.toString()).toMatch(/^SSH-2\.0-Trellis\r\n/);
  });
});
