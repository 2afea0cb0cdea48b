// Messages over SSH: in the clear, before sign-in and after it.
import { message, string, uint32, yes } from '../hostile/ssh-client.mjs';
import { damage, maybe, several, spoken } from './bytes.mjs';

const no = Buffer.of(0);
const NUMBERS = [0, 1, 7, 2 ** 15, 2 ** 21, 2 ** 31, 2 ** 32 - 1];
const TEXTS = ['', 'a', 'session', 'none', 'ssh-connection', '\0', 'é', 'a'.repeat(5_000)];

const number = (random) => uint32(random.pick(NUMBERS));
const text = (random) => string(random.pick(TEXTS));
const channel = (random) =>
  uint32(
    random.weighted([
      [0, 6],
      [random.pick(NUMBERS), 1],
    ]),
  );
const flag = (random) => random.pick([yes, no]);

const request =
  (type, ...fields) =>
  (random) =>
    message(98, channel(random), string(type), flag(random), ...fields.map((make) => make(random)));
const signIn =
  (method, ...fields) =>
  (random) =>
    message(
      ...[
        50,
        string(random.pick(['git', 'root', '', 'a'.repeat(2_000)])),
        string('ssh-connection'),
      ],
      ...[string(method), ...fields.map((make) => make(random))],
    );
const open = (type) => (random) =>
  message(90, string(type), number(random), number(random), number(random));
const onChannel =
  (type, ...fields) =>
  (random) =>
    message(type, channel(random), ...fields.map((make) => make(random)));

/** Each makes the payload of a message. */
const MESSAGES = [
  (random) => message(1, number(random), text(random), text(random)),
  (random) => message(2, text(random)),
  (random) => message(3, number(random)),
  (random) => message(4, flag(random), text(random), text(random)),
  () => message(5, string('ssh-userauth')),
  (random) => message(5, text(random)),
  (random) => message(6, text(random)),
  (random) => message(7, number(random), text(random), text(random)),
  (random) => message(20, random.bytes(16), ...several(random, 0, 10, () => text(random)), no),
  () => message(21),
  (random) => message(30, text(random)),
  (random) => message(34, number(random), number(random), number(random)),
  signIn('none'),
  signIn('password', flag, text),
  signIn('publickey', flag, () => string('ssh-ed25519'), text, text),
  signIn('publickey', flag, text, text),
  signIn('hostbased', text, text, text, text, text),
  signIn('keyboard-interactive', text, text),
  (random) => message(51, text(random), flag(random)),
  () => message(52),
  (random) => message(61, number(random), text(random)),
  (random) => message(80, text(random), flag(random)),
  (random) => message(80, string('tcpip-forward'), flag(random), text(random), number(random)),
  (random) => message(80, string('keepalive@openssh.com'), flag(random)),
  () => message(81),
  () => message(82),
  open('session'),
  open('session'),
  open('direct-tcpip'),
  open('x11'),
  open('auth-agent@openssh.com'),
  onChannel(91, number, number, number),
  onChannel(92, number, text, text),
  onChannel(93, number),
  onChannel(94, text),
  onChannel(95, number, text),
  onChannel(96),
  onChannel(97),
  onChannel(99),
  onChannel(100),
  request('exec', text),
  request('exec', () => string("git-upload-pack 'a/b'")),
  request('shell'),
  request('subsystem', text),
  request('env', () => string('GIT_PROTOCOL'), text),
  request('pty-req', text, number, number, number, number, text),
  request('window-change', number, number, number, number),
  request('signal', text),
  request('exit-status', number),
  request('x11-req', flag, text, text, number),
  request('auth-agent-req@openssh.com'),
  (random) => message(random.integer(0, 255), random.bytes(random.integer(0, 60))),
];

/** Makes the payload of a message, which may be cut, longer than it says or of wrong inner lengths. */
function payload(random) {
  const whole = random.pick(MESSAGES)(random);
  if (random.chance(0.7)) return whole;
  const damaged = random.chance(0.3)
    ? Buffer.concat([whole, random.bytes(9)])
    : damage(random, whole);
  return damaged.length === 0 ? Buffer.of(0) : damaged;
}

/** @param signsIn whether the client does so first */
export const sshMessages = (signsIn) => (random) => ({
  signsIn,
  pieces: several(random, 1, random.pick([1, 5, 30]), () => ({
    bytes: payload(random),
    count: random.weighted([
      [1, 8],
      [random.pick([20, 500]), 1],
    ]),
  })),
  rekeys: random.chance(0.1),
  ending: random.pick(['quiet', 'close', 'reset']),
});

const GREETINGS = [
  ...['SSH-2.0-x\r\n', 'SSH-2.0-x\n', 'SSH-1.99-x\r\n', 'SSH-1.5-x\r\n', 'SSH-2.0-\r\n', 'SSH-2.0'],
  ...['GET / HTTP/1.1\r\n\r\n', '\r\n', 'a\r\n'.repeat(2_000), `SSH-2.0-${'a'.repeat(9_000)}\r\n`],
  ...['\0'.repeat(100), ''],
];

/** A packet in the clear, whose length and padding may be wrong. */
function packet(random) {
  const content = payload(random);
  const padding = 8 - ((5 + content.length) % 8) + 8;
  const length = 1 + content.length + padding;
  const said = maybe(
    random,
    0.2,
    () => random.pick([0, 1, 7, 35_001, 2 ** 31, 2 ** 32 - 1]),
    length,
  );
  const saidPadding = maybe(random, 0.2, () => random.integer(0, 255), padding);
  return Buffer.concat([uint32(said), Buffer.of(saidPadding), content, Buffer.alloc(padding)]);
}

/** What a client sends before keys are exchanged. */
export function sshInTheClear(random) {
  const greeting = random.weighted([
    [GREETINGS[0], 5],
    [random.pick(GREETINGS), 3],
  ]);
  const sent = [Buffer.from(greeting), ...several(random, 0, 8, () => packet(random))];
  return spoken(random, Buffer.concat(sent), false);
}
