// Requests over HTTP: heads and bodies with mutations, several on one connection.
import { METHODS } from 'node:http';
import { maybe, several, spoken } from './bytes.mjs';

const JSON_TYPE = 'application/json';
const BOUNDARY = '----boundary';
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText\r\n`;

/** Requests that are answered below 500 as they are. */
const REQUESTS = [
  () => ({ target: '/healthz' }),
  () => ({ target: '/' }),
  () => ({ target: '/help' }),
  () => ({ target: '/nor/this' }),
  ({ token }) => ({ target: `/api/v3/user?private_token=${token}` }),
  ({ token }) => ({ target: '/api/v3/projects?per_page=2', headers: [['PRIVATE-TOKEN', token]] }),
  ({ token, api }) => ({
    ...{ method: 'POST', target: `${api}/issues`, body: '{"title":"An issue"}' },
    headers: [
      ['PRIVATE-TOKEN', token],
      ['Content-Type', JSON_TYPE],
    ],
  }),
  ({ token, api }) => ({
    ...{ method: 'POST', target: `${api}/issues`, body: `title=A&private_token=${token}` },
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
  }),
  ({ token, api }) => ({
    ...{ method: 'POST', target: `${api}/uploads`, body: `${PART}--${BOUNDARY}--\r\n` },
    headers: [
      ['PRIVATE-TOKEN', token],
      ['Content-Type', `multipart/form-data; boundary=${BOUNDARY}`],
    ],
  }),
  ({ basic, path }) => ({
    target: `${path}/info/refs?service=git-upload-pack`,
    headers: [['Authorization', basic]],
  }),
  ({ path }) => ({
    ...{ method: 'POST', target: `${path}/git-receive-pack`, body: '0000' },
    headers: [['Content-Type', 'application/x-git-receive-pack-request']],
  }),
];

const LENGTHS = ['0', '1', '-1', '+5', '5, 5', '0x5', '5 ', '99999999999999999999', '', '1e3', 'a'];
const ENCODINGS = ['chunked', 'Chunked', 'gzip, chunked', 'chunked, chunked', 'chunked, gzip', 'x'];
const ODD_VALUES = ['', ' ', '\0', '\x7f', '\xff\xfe', 'a\rb', 'a\nb', 'é', '"', ',', ';=', '\t'];
const ODD_NAMES = ['', ' ', 'A B', 'A\0', '\xff', ':', 'X-A ', '(', '__proto__', 'constructor'];
/** Headers that the service or Node reads. */
const HEADERS = [
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Authorization', 'Connection', 'Cookie'],
  ...['Content-Encoding', 'Content-Length', 'Content-Type', 'Expect', 'Forwarded', 'Git-Protocol'],
  ...['Host', 'If-Match', 'If-Modified-Since', 'If-None-Match', 'If-Range', 'Keep-Alive', 'Origin'],
  ...['PRIVATE-TOKEN', 'Range', 'Referer', 'Sudo', 'TE', 'Trailer', 'Traceparent', 'Tracestate'],
  ...['Transfer-Encoding', 'Upgrade', 'X-Forwarded-For', 'X-HTTP-Method-Override', 'X-Request-Id'],
];
const VALUES = [
  ...['100-continue', '*/*', 'application/json;q=0.1', 'bytes=0-1,2-3', 'chunked', 'close', 'gzip'],
  ...['h2c', 'identity', 'keep-alive, Upgrade', 'text/html; charset=utf-7', 'version=2', 'W/"a"'],
  ...['websocket', '*', '1', '00-11111111111111111111111111111111-2222222222222222-01', '::1, x'],
  ...['Basic', 'Basic ====', 'Bearer a', 'a=b; a=c', 'multipart/form-data', '[::1', 'a@b:99999'],
];
const TARGETS = [
  ...['*', '//', '/..', '/%', '/%00', '/%ff', '/\xff', '/a b', '?', '/?a[b]=c&a=d', '#', 'x', ''],
  ...[
    'http://elsewhere.example/healthz',
    'http://[',
    'elsewhere.example:443',
    '/api/v3/projects/%',
  ],
  ...['/api/v3//user', '/api/v3/projects/a%2Fb%2Fc', '/api/v3/users?page=-1&per_page=1e9', '/\\a'],
];
const METHODS_ALSO = ['', 'FOO', 'get', 'PRI', 'A'.repeat(2_000), 'G\0T'];
const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', 'HTTP/', ''];
const GARBAGE = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x00\xa5\x01\x00',
  'SSH-2.0-x\r\n',
];

const longText = (random) =>
  random.pick(['a', ',', ';', '%', 'a,b;']).repeat(random.pick([100, 2_000, 7_900, 17_000]));
const anyHeader = (random) => [
  random.weighted([
    [random.pick(HEADERS), 6],
    [random.pick(ODD_NAMES), 1],
    ['X-Any', 1],
  ]),
  random.weighted([
    [random.pick(VALUES), 4],
    [random.pick(ODD_VALUES), 2],
    [longText(random), 1],
  ]),
];

/** Each changes a request: `method`, `target`, `version`, `headers`, `body`, `coding`. */
const MUTATIONS = [
  (random, request) => (request.method = random.pick([...METHODS, ...METHODS_ALSO])),
  (random, request) =>
    (request.target = random.weighted([
      [random.pick(TARGETS), 5],
      [`/${longText(random)}`, 1],
      [`http://localhost${request.target}`, 1],
    ])),
  (random, request) => (request.version = random.pick(VERSIONS)),
  (random, request) => request.headers.push(anyHeader(random)),
  (random, request) => request.headers.push(...several(random, 2, 30, () => anyHeader(random))),
  (random, request) =>
    request.headers.push(...several(random, 90, 2_100, (index) => [`X-${index}`, 'a'])),
  (random, request) => request.headers.push(...request.headers.slice(random.integer(-2, -1))),
  (random, request) => request.headers.push(['Host', random.pick(['a', '', 'localhost', '[::1'])]),
  (random, request) => request.headers.shift(),
  (random, request) => request.headers.push(['Content-Length', random.pick(LENGTHS)]),
  (random, request) => request.headers.push(['Transfer-Encoding', random.pick(ENCODINGS)]),
  (random, request) => request.headers.push(['Expect', random.pick(['100-continue', 'a', ''])]),
  (random, request) =>
    request.headers.push(
      ['Connection', random.pick(['Upgrade', 'upgrade, close'])],
      ['Upgrade', random.pick(['websocket', 'h2c', 'a', ''])],
    ),
  // A header that goes on in the next line, and lines with other ends.
  (random, request) =>
    request.headers.push([
      'X-Folded',
      random.pick(['a\r\n b', 'a\r\n\tb', 'a\n b', '\r\n', 'a\r']),
    ]),
  (random, request) => (request.body = longText(random)),
  (random, request) => (request.coding = wrongChunks(random)),
];

const hex = (number) => number.toString(16);
const HUGE_SIZES = [
  'ffffffff',
  'ffffffffffffffff',
  '-1',
  '0x1',
  '',
  ' ',
  'g',
  '7fffffffffffffff',
  '00',
];

/** Well-formed chunks, of any size, with extensions and trailers. */
function chunks(random, body) {
  const size = random.pick([1, 2, 7, 64, 4_096]);
  const extension = () =>
    maybe(random, 0.2, () => random.pick([';a', ';a=b', ';a="b c"', `;${'a'.repeat(500)}`]), '');
  const digits = (length) =>
    random.pick([hex(length), hex(length).toUpperCase(), `000${hex(length)}`]);
  const parts = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  const trailers = maybe(random, 0.2, () => 'X-Trailer: a\r\nContent-Length: 3\r\n', '');
  return [
    ...parts.map((part) => `${digits(part.length)}${extension()}\r\n${part}\r\n`),
    `0${extension()}\r\n${trailers}\r\n`,
  ].join('');
}

/** Returns a function that makes chunks which are not what they say. */
const wrongChunks = (random) => (body) =>
  random.pick([
    () => `${hex(body.length + 1)}\r\n${body}\r\n0\r\n\r\n`,
    () => `${hex(Math.max(0, body.length - 1))}\r\n${body}\r\n0\r\n\r\n`,
    () => `${random.pick(HUGE_SIZES)}\r\n${body}\r\n0\r\n\r\n`,
    () => `${hex(body.length)}\n${body}\n0\n\n`,
    () =>
      `${hex(body.length)};${'a'.repeat(random.pick([20, 5_000, 20_000]))}\r\n${body}\r\n0\r\n\r\n`,
    () => `${'1\r\na\r\n'.repeat(random.pick([10, 600, 20_000]))}0\r\n\r\n`,
    () =>
      `${hex(body.length)}\r\n${body}\r\n0\r\n${'X-T: a\r\n'.repeat(random.pick([1, 100, 3_000]))}\r\n`,
    () => chunks(random, body).replace(/0\r\n\r\n$/, ''),
  ])();

function write({ method = 'GET', target, version = 'HTTP/1.1', headers, body, coding }) {
  const coded = coding?.(body ?? '') ?? body ?? '';
  const length = coding ? [['Transfer-Encoding', 'chunked']] : maybeLength(body);
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} ${version}\r\n${lines.join('')}\r\n${coded}`;
}

const maybeLength = (body) =>
  body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body, 'latin1'))]];

function request(random, at, mutations) {
  const made = random.pick(REQUESTS)(at);
  const whole = { ...made, headers: [['Host', 'localhost'], ...(made.headers ?? [])] };
  if (made.body !== undefined && random.chance(0.4)) {
    whole.coding = (body) => chunks(random, body);
  }
  for (let count = mutations; count > 0; count -= 1) random.pick(MUTATIONS)(random, whole);
  return write(whole);
}

/**
 * A conversation over one connection.
 * @param at `token`, `basic`, `api` and `path` of a project
 */
export function httpConversation(random, at) {
  const mutations = random.pick([0, 0, 1, 1, 2, 4]);
  const count = random.weighted([
    [1, 6],
    [random.integer(2, 6), 3],
    [random.integer(60, 100), 0.3],
  ]);
  const requests = Array.from({ length: count }, () => request(random, at, mutations));
  const isGarbage = random.chance(0.03);
  if (isGarbage) requests.unshift(random.pick(GARBAGE));
  const isWhole = mutations === 0 && !isGarbage;
  return spoken(random, Buffer.from(requests.join(''), 'latin1'), isWhole);
}
