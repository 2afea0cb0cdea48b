// Answers of a receiver to a delivery.
import { several, spoken } from './bytes.mjs';

const STATUS_LINES = [
  ...['HTTP/1.1 200 OK', 'HTTP/1.1 204 No Content', 'HTTP/1.1 304 Not Modified', 'HTTP/1.1 500 A'],
  ...['HTTP/1.1 301 Moved', 'HTTP/1.1 429 Later', 'HTTP/1.1 410 Gone', 'HTTP/1.1 401 Who'],
  ...['HTTP/1.0 200 OK', 'HTTP/1.1 200', 'HTTP/1.1 99 A', 'HTTP/1.1 1000 A', 'HTTP/1.1 999 A'],
  ...[
    'HTTP/2 200',
    'HTTP/1.1 200 \xff',
    '200 OK',
    'ICY 200 OK',
    '',
    'SSH-2.0-x',
    'HTTP/1.1 101 Sw',
  ],
];
const INFORMATIONAL = [
  '100 Continue',
  '102 Processing',
  '103 Early Hints',
  '199 A',
  '101 Switching',
];
const OF_INFORMATIONAL = ['', 'Link: </a>\r\n', 'Upgrade: a\r\nConnection: Upgrade\r\n'];
const HEADERS = [
  ...['Content-Length: 3', 'Content-Length: 999999999999', 'Content-Length: -1', 'Content-Length:'],
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip', 'Content-Encoding: gzip', 'A: \0'],
  ...['Connection: close', 'Connection: keep-alive', 'Upgrade: websocket', 'Connection: Upgrade'],
  ...[
    'Location: http://127.0.0.1:1/',
    'Location: /',
    'Location: file:///etc/passwd',
    'Set-Cookie: a',
  ],
  ...[
    'Retry-After: 1',
    'Retry-After: 99999999999',
    'Retry-After: a',
    'X: a\r\n b',
    ': a',
    'no colon',
  ],
  ...['Retry-After: Fri, 31 Dec 9999 23:59:59 GMT', 'Retry-After: -1', 'Content-Type: text/\xff'],
  ...['__proto__: a', 'constructor: a', 'X-Odd: \xff\xfe', `X-Long: ${'a'.repeat(9_000)}`],
];
const BODIES = [
  ...[
    '',
    'abc',
    '3\r\nabc\r\n0\r\n\r\n',
    '3\r\nabc\r\n0\r\nX-T: a\r\n\r\n',
    'ffffffffffffffff\r\na',
  ],
  ...['1\r\na\r\n'.repeat(2_000), 'a'.repeat(200_000), '\0\xff\ud800'.repeat(100), 'zz\r\n'],
];

/** What the receiver sends, and how it ends; it may be nothing, or no HTTP. */
export function receiverAnswer(random) {
  const informational = several(random, 0, random.pick([0, 0, 3, 30]), () => {
    return `HTTP/1.1 ${random.pick(INFORMATIONAL)}\r\n${random.pick(OF_INFORMATIONAL)}\r\n`;
  });
  const headers = several(
    random,
    0,
    random.pick([2, 4, 4, 100]),
    () => `${random.pick(HEADERS)}\r\n`,
  );
  const answer = `${random.pick(STATUS_LINES)}\r\n${headers.join('')}\r\n${random.pick(BODIES)}`;
  const bytes = random.chance(0.03)
    ? random.bytes(random.integer(0, 500))
    : Buffer.from(informational.join('') + answer, 'latin1');
  return spoken(random, bytes, false);
}
