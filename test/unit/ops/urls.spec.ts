import { loadConfig, Urls } from '../../../src/platform/config/index.js';

const EXTERNAL_URL = 'https://git.example.com/trellis';

describe('the SSH address of a repository', () => {
  it.each([
    ['the port that is listened on', {}, 'ssh://git@git.example.com:2222/crew/tour.git'],
    ['no port where that is 22', { SSH_PORT: '22' }, 'git@git.example.com:crew/tour.git'],
    ['no port where SSH is off', { SSH_PORT: 'off' }, 'git@git.example.com:crew/tour.git'],
    [
      'the external port',
      { SSH_PORT: '22', SSH_EXTERNAL_PORT: '2022' },
      'ssh://git@git.example.com:2022/crew/tour.git',
    ],
    [
      'no port where the external one is 22',
      { SSH_EXTERNAL_PORT: '22' },
      'git@git.example.com:crew/tour.git',
    ],
    [
      'the external port where this process does not listen',
      { SSH_PORT: 'off', SSH_EXTERNAL_PORT: '2022' },
      'ssh://git@git.example.com:2022/crew/tour.git',
    ],
    [
      'the external host',
      { SSH_EXTERNAL_HOST: 'ssh.example.com' },
      'ssh://git@ssh.example.com:2222/crew/tour.git',
    ],
    [
      'an IPv6 address in brackets',
      { SSH_EXTERNAL_HOST: '2001:db8::1', SSH_EXTERNAL_PORT: '22' },
      'git@[2001:db8::1]:crew/tour.git',
    ],
  ])('has %s', (_, environment, address) => {
    const urls = new Urls(loadConfig({ EXTERNAL_URL, ...environment }));
    expect(urls.gitOverSsh('crew/tour')).toBe(address);
    expect(urls.gitOverHttp('crew/tour')).toBe(`${EXTERNAL_URL}/crew/tour.git`);
  });

  it('follows a port that is chosen at the start, unless it is external', () => {
    const chosen = loadConfig({ EXTERNAL_URL, SSH_PORT: '0' });
    chosen.bindSshPort(42_000);
    expect(new Urls(chosen).gitOverSsh('a/b')).toBe('ssh://git@git.example.com:42000/a/b.git');
    const relayed = loadConfig({ EXTERNAL_URL, SSH_PORT: '0', SSH_EXTERNAL_PORT: '22' });
    relayed.bindSshPort(42_000);
    expect(relayed.ssh.port).toBe(42_000);
    expect(new Urls(relayed).gitOverSsh('a/b')).toBe('git@git.example.com:a/b.git');
  });
});
