import { parseSshCommand } from '../../../src/modules/git-access/ssh/ssh-command.js';

describe('a command over SSH', () => {
  it.each([
    ["git-upload-pack 'ns/proj.git'", 'git-upload-pack', 'ns', 'proj'],
    ["git-receive-pack '/ns/proj.git'", 'git-receive-pack', 'ns', 'proj'],
    ["git-upload-pack 'a.b-c_d/E.f'", 'git-upload-pack', 'a.b-c_d', 'E.f'],
    ["git-upload-archive 'ns/proj.git'", 'git-upload-archive', 'ns', 'proj'],
    ["git-upload-pack '/ns/proj.git.GIT'", 'git-upload-pack', 'ns', 'proj.git'],
  ])('%s names a project', (line, service, namespace, project) => {
    expect(parseSshCommand(line)).toEqual({ kind: 'git', service, path: { namespace, project } });
  });

  it('may be empty', () => {
    expect(parseSshCommand(null)).toEqual({ kind: 'greeting' });
    expect(parseSshCommand('')).toEqual({ kind: 'greeting' });
  });

  it.each([
    "'ns/proj.git\0'",
    "'ns/pr\noj'",
    "'//ns/proj'",
    "'ns//proj'",
    "'ns/proj/'",
    "'ns/proj.git/x'",
    "'~ns/proj'",
    "'ns/.git'",
    "'ns\\proj'",
    "'%6es/proj'",
    "'ns/proj git'",
    "'nß/proj'",
    "'it'\\''s/proj'",
    "'wow'\\!'/proj'",
    `'${'n'.repeat(256)}/proj'`,
  ])('at %j names no project', (argument) => {
    const service = 'git-receive-pack';
    expect(parseSshCommand(`${service} ${argument}`)).toEqual({ kind: 'nowhere', service });
  });

  it.each(['a', '日', "'\\''", '/', '"'])('of megabytes of %j names no project', (part) => {
    const service = 'git-receive-pack';
    const line = `${service} '${part.repeat(9_000_000)}'`;
    expect(parseSshCommand(line)).toEqual({ kind: 'nowhere', service });
    expect(parseSshCommand(`${line}x'`)).toEqual({ kind: 'other' });
  });

  it.each([
    "git-upload-pack 'a/b'\\'",
    "git-upload-pack 'a/b'\\''",
    "git-upload-pack 'a/b''c'",
    "git-upload-pack 'a/b'\\x'c'",
    "git-upload-pack 'a/b' 'c'",
    "GIT-UPLOAD-PACK 'a/b'",
    "git-upload-pack\t'a/b'",
    "\0git-upload-pack 'a/b'",
    "git-upload-pack 'a/b'\0",
    'git-upload-pack',
    "git-lfs-authenticate 'a/b' download",
    `git-upload-pack '${"'\\'".repeat(20_000)}`,
  ])('%.40j is not read', (line) => {
    expect(parseSshCommand(line)).toEqual({ kind: 'other' });
  });
});
