// Credentials: hashes are the dearest thing that a request without an account can ask for.
import ssh2 from 'ssh2';
import sshpk from 'sshpk';
import { head } from '../http-client.mjs';

const basic = (login, password) =>
  `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;

/** So many clients at once, each of which sends one request after the other. */
const flood = (world, { atOnce, rounds }, request) =>
  world.many(atOnce, (index) =>
    world.repeat(rounds, (round) => world.attack(request(index, round))),
  );

/** Whose account a client guesses at, and where it does so from. */
const guesser = (world, { addresses, logins }, index) => ({
  login: index % logins === 0 ? world.mallory.username : `nobody-${index % logins}`,
  from: `127.0.1.${1 + (index % addresses)}`,
});

export const CREDENTIALS = [
  {
    name: 'long-password',
    about: 'a password of 7 million characters at /session',
    sample: { length: 7_000_000, unit: 'a', atOnce: 1 },
    vary: (random) => ({
      length: random.pick([1_000, 60_000, 1_000_000, 7_000_000]),
      unit: random.pick(['a', 'ﷺ', '\u0041\u030a', '\ud55c', '\u1e9b\u0323']),
      atOnce: random.integer(1, 6),
    }),
    async run(world, { length, unit, atOnce }) {
      const password = unit.repeat(length / unit.length);
      const { username } = world.mallory;
      const body = { login: username, password };
      await world.many(atOnce, () =>
        world.attack({ method: 'POST', path: '/api/v3/session', body }),
      );
    },
  },
  {
    name: 'wrong-basic-logins',
    about: 'sixty wrong basic logins at once, again and again',
    sample: { atOnce: 60, addresses: 1, logins: 1 },
    vary: (random) => ({
      atOnce: random.integer(20, 120),
      addresses: random.integer(1, 60),
      logins: random.integer(1, 60),
    }),
    async run(world, { atOnce, ...guessed }) {
      const path = `/${world.mallory.username}/none.git/info/refs?service=git-upload-pack`;
      await flood(world, { atOnce, rounds: 20 }, (index) => {
        const { login, from } = guesser(world, guessed, index);
        return { path, headers: { Authorization: basic(login, `wrong password ${index}`) }, from };
      });
    },
  },
  {
    name: 'wrong-sessions',
    about: 'a burst of wrong passwords at /session',
    sample: { atOnce: 60, addresses: 1, logins: 1 },
    vary: (random) => ({
      atOnce: random.integer(20, 120),
      addresses: random.integer(1, 60),
      logins: random.integer(1, 60),
    }),
    async run(world, { atOnce, ...guessed }) {
      await flood(world, { atOnce, rounds: 20 }, (index) => {
        const { login, from } = guesser(world, guessed, index);
        const body = { login, password: 'wrong password' };
        return { method: 'POST', path: '/api/v3/session', body, from };
      });
    },
  },
  {
    name: 'forwarded-sessions',
    about: 'wrong passwords under made-up X-Forwarded-For addresses',
    sample: { atOnce: 40, chain: 1 },
    vary: (random) => ({ atOnce: random.integer(20, 80), chain: random.pick([1, 3, 500]) }),
    async run(world, { atOnce, chain }) {
      await flood(world, { atOnce, rounds: 10 }, (index, round) => ({
        method: 'POST',
        path: '/api/v3/session',
        headers: { 'X-Forwarded-For': Array(chain).fill(`9.9.${round}.${index}`).join(', ') },
        body: { login: world.mallory.username, password: 'wrong password' },
      }));
    },
  },
  {
    name: 'wrong-tokens',
    about: 'requests with tokens that do not exist, and huge ones',
    sample: { atOnce: 40, length: 20 },
    vary: (random) => ({ atOnce: random.integer(10, 80), length: random.pick([1, 64, 15_000]) }),
    async run(world, { atOnce, length }) {
      await flood(world, { atOnce, rounds: 50 }, (index, round) => ({
        path: '/api/v3/user',
        token: `${index}-${round}-`.padEnd(length, 'x'),
      }));
    },
  },
  {
    name: 'new-passwords',
    about: 'an administrator sets passwords, eight at a time',
    sample: { atOnce: 8, length: 100 },
    vary: (random) => ({ atOnce: random.integer(4, 16), length: random.pick([8, 128, 100_000]) }),
    async run(world, { atOnce, length }) {
      const { rootToken: token, users } = world;
      const path = `/api/v3/users/${users.mate.id}`;
      const body = { password: 'p'.repeat(length) };
      await flood(world, { atOnce, rounds: 4 }, () => ({ method: 'PUT', path, token, body }));
    },
  },
  {
    name: 'idle-ssh',
    about: 'fifty SSH connections that say nothing; then one from there and one from elsewhere',
    sample: { count: 50, said: '' },
    vary: (random) => ({
      count: random.integer(40, 150),
      said: random.pick([
        '',
        'SSH-2.0-x',
        'SSH-2.0-x\r\n',
        'a'.repeat(100_000),
        '\0'.repeat(1_000),
      ]),
    }),
    async run(world, { count, said }) {
      for (let index = 0; index < count; index += 1) {
        world.hold({ port: world.sshPort }).write(said);
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await world.many(2, (index) => {
        const from = ['127.0.0.2', '127.0.0.9'][index];
        return signIn(world, { from, username: 'git', password: 'none', isOther: index === 1 });
      });
      await world.untilOver();
    },
  },
  {
    name: 'ssh-sign-ins',
    about: 'floods of SSH handshakes and wrong keys',
    sample: { atOnce: 12, rounds: 6, addresses: 1 },
    vary: (random) => ({
      atOnce: random.integer(4, 24),
      rounds: random.integer(2, 8),
      addresses: random.integer(1, 24),
    }),
    async run(world, { atOnce, rounds, addresses }) {
      const privateKey = sshpk.generatePrivateKey('ed25519').toString('openssh');
      await world.many(atOnce, (index) =>
        world.repeat(rounds, () => {
          const from = `127.0.2.${1 + (index % addresses)}`;
          return signIn(world, { from, username: 'git', privateKey });
        }),
      );
    },
  },
  {
    name: 'abandoned-sign-ins',
    about: 'wrong logins whose connection closes at once',
    sample: { count: 400 },
    vary: (random) => ({ count: random.integer(100, 800) }),
    async run(world, { count }) {
      const body = JSON.stringify({ login: world.mallory.username, password: 'wrong password' });
      const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
      await world.repeat(count, async () => {
        const connection = world.hold();
        connection.write(head('POST', '/api/v3/session', headers) + body);
        await new Promise((resolve) => setTimeout(resolve, 10));
        connection.close();
      });
    },
  },
];

/**
 * Tries to sign in over SSH and notes how far that went.
 * @param isOther it is no part of the attack and must get as far as authentication
 */
function signIn(world, { isOther = false, ...options }) {
  return new Promise((resolve) => {
    const client = new ssh2.Client();
    let greeted = false;
    const end = (text, isClear) => {
      world.note(`${isOther ? 'other ssh' : 'ssh'}: ${text}`, isClear);
      client.removeAllListeners();
      client.on('error', () => undefined);
      client.destroy();
      resolve();
    };
    client.once('handshake', () => (greeted = true));
    client.once('ready', () => end('signed in', true));
    client.once('error', ({ level, message }) => {
      if (level === 'client-authentication') end('refused', true);
      // A server that sheds load before the handshake has no words for it.
      else end(greeted ? message : 'closed before the handshake', !isOther);
    });
    client.once('close', () => end('closed', !isOther));
    const { from: localAddress, ...credentials } = options;
    client.connect({
      host: '127.0.0.1',
      port: world.sshPort,
      localAddress,
      readyTimeout: 6_000,
      ...credentials,
    });
  });
}
