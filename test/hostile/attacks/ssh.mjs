// Messages over SSH: very many small ones, before and after the client has signed in.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { message, SshClient, string, uint32, yes } from '../ssh-client.mjs';

/** By kind: the payload of a message. */
const MESSAGES = {
  global: message(80, string('a'), yes),
  keepalive: message(80, string('keepalive@openssh.com'), yes),
  ignore: message(2, string('')),
  debug: message(4, yes, string(''), string('')),
  unimplemented: message(3, uint32(1)),
  unknown: message(200),
  service: message(5, string('ssh-userauth')),
  none: message(50, string('git'), string('ssh-connection'), string('none')),
  password: message(
    ...[50, string('git'), string('ssh-connection'), string('password')],
    ...[Buffer.of(0), string('a')],
  ),
  open: message(90, string('session'), uint32(0), uint32(2 ** 21), uint32(2 ** 15)),
  forward: message(90, string('direct-tcpip'), uint32(0), uint32(2 ** 21), uint32(2 ** 15)),
  env: message(98, uint32(0), string('env'), yes, string('A'), string('b')),
  window: message(93, uint32(0), uint32(1)),
  data: message(94, uint32(0), string('a')),
  eof: message(96, uint32(0)),
};
const KINDS = [...Object.keys(MESSAGES), 'rekey'];

/** Connects again and again, and sends messages as long as the connection stays. */
async function sendOnOne(world, { kinds, burst, privateKey }) {
  let client;
  const over = world.untilOver().then(() => client.destroy());
  while (!world.isOver) {
    const connection = new SshClient({ port: world.sshPort, privateKey });
    ({ client } = connection);
    client.on('error', ({ message: text }) => world.note(`ssh: ${text}`, true));
    const begun = once(client, privateKey ? 'ready' : 'handshake');
    await Promise.race([begun, once(client, 'close')]).catch(() => undefined);
    for (let index = 0; !connection.isClosed && !world.isOver; index += 1) {
      const kind = kinds[index % kinds.length];
      const sent = kind === 'rekey' ? connection.rekey() : connection.send(MESSAGES[kind], burst);
      await sent.catch(() => undefined);
    }
    client.destroy();
  }
  await over;
  world.note('ssh: over', true);
}

const variation = (random) => ({
  connections: random.integer(1, 12),
  burst: random.pick([10, 500, 20_000]),
  kinds: Array.from({ length: random.integer(1, 4) }, () => random.pick(KINDS)),
});

export const SSH = [
  {
    name: 'ssh-messages-before-sign-in',
    about: 'four connections that send global requests and never sign in',
    sample: { connections: 4, burst: 20_000, kinds: ['global'] },
    vary: variation,
    async run(world, { connections, ...params }) {
      await world.many(connections, () => sendOnOne(world, params));
    },
  },
  {
    name: 'ssh-messages-after-sign-in',
    about: 'four connections that have signed in and send global requests',
    sample: { connections: 4, burst: 20_000, kinds: ['global'] },
    vary: variation,
    prepare: async (world) => ({ privateKey: await world.sshKey() }),
    async run(world, { connections, ...params }, { privateKey }) {
      await world.many(connections, () => sendOnOne(world, { ...params, privateKey }));
    },
  },
  {
    name: 'ssh-messages-in-the-clear',
    about: 'messages to ignore before keys are exchanged',
    sample: { connections: 8, messages: 200_000, text: '' },
    vary: (random) => ({
      connections: random.integer(1, 20),
      messages: random.pick([1_000, 20_000, 100_000]),
      text: random.pick(['', 'a'.repeat(40), 'a'.repeat(400)]),
    }),
    async run(world, { connections, messages, text }) {
      const payload = message(2, string(text));
      const padding = 8 - ((5 + payload.length) % 8) + 8;
      const packet = Buffer.concat([
        ...[uint32(1 + payload.length + padding), Buffer.of(padding), payload],
        Buffer.alloc(padding),
      ]);
      const block = Buffer.alloc(1_000 * packet.length, packet);
      await world.many(connections, async () => {
        const connection = world.hold({ port: world.sshPort, from: '127.0.0.2' });
        connection.write('SSH-2.0-x\r\n');
        for (let sent = 0; sent < messages && !connection.isClosed; sent += 1_000) {
          connection.write(block);
          await nextTurn();
        }
      });
      await world.untilOver();
    },
  },
];
