import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { line, Workshop } from './support/workshop.js';

const SECRET = "pass word's/ü";

describe('fetching over ssh', () => {
  const PATH = process.env['PATH'] ?? '';
  let workshop: Workshop;
  let folder: string;

  const calledWith = async () => (await readFile(join(folder, 'words'), 'utf8')).split('\n');
  const password = () => readFile(join(folder, 'password'), 'utf8');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trellis-ssh-'));
    await mkdir(join(folder, 'bin'));
    // A room takes the path when it is opened.
    process.env['PATH'] = `${join(folder, 'bin')}:${PATH}`;
    workshop = await Workshop.open();
    const source = await workshop.repository(line(3));
    // Stands for the program and the other machine: notes how it is called, then serves.
    const script = [
      '#!/bin/sh',
      `for word in "$@"; do printf '%s\\n' "$word"; done > ${folder}/words`,
      `"$SSH_ASKPASS" 'Password:' > ${folder}/password`,
      `exec git upload-pack ${source.path}`,
    ];
    await writeFile(join(folder, 'bin/ssh'), script.join('\n'));
    await chmod(join(folder, 'bin/ssh'), 0o755);
  });

  afterAll(async () => {
    process.env['PATH'] = PATH;
    await workshop.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('passes the password to the askpass program, and the host under its name', async () => {
    const target = await workshop.emptyRepository();
    await target.fetchFrom({
      address: 'ssh://git.example.com:2222/group/x.git',
      pinned: ['192.0.2.7', '192.0.2.8'],
      credentials: { user: 'zoe', password: SECRET },
    });
    expect(await target.isEmpty()).toBe(false);
    const words = await calledWith();
    expect(words).toEqual(
      expect.arrayContaining([
        'HostKeyAlias=git.example.com',
        'User=zoe',
        'BatchMode=no',
        'PubkeyAuthentication=no',
        '192.0.2.7',
        '2222',
        "git-upload-pack '/group/x.git'",
      ]),
    );
    expect(words.join('\n')).not.toContain(SECRET);
    expect(await password()).toBe(`${SECRET}\n`);
  });

  it('runs ssh in batch mode without a password', async () => {
    const target = await workshop.emptyRepository();
    await target.fetchFrom({ address: 'ssh://[2001:db8::1]/x.git', pinned: ['2001:db8::1'] });
    expect(await calledWith()).toEqual(
      expect.arrayContaining([
        'BatchMode=yes',
        'User=git',
        '2001:db8::1',
        'HostKeyAlias=2001:db8::1',
      ]),
    );
    expect(await password()).toBe('\n');
  });

  it('refuses invalid user names', async () => {
    const target = await workshop.emptyRepository();
    for (const user of ['-oProxyCommand=true', 'a b', '$(true)', '']) {
      const remote = { address: 'ssh://git.example.com/x.git', pinned: ['192.0.2.7'] };
      await expect(
        target.fetchFrom({ ...remote, credentials: { user, password: 'x' } }),
      ).rejects.toMatchObject({ code: 'invalid-argument' });
    }
  });
});
