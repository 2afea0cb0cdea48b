// Bodies, forms and query strings: what is read before anything is known of the caller.
import { head } from '../http-client.mjs';

const MB = 1_000_000;
const FORM = 'application/x-www-form-urlencoded';

/** @returns JSON of about so many bytes */
const SHAPES = {
  numbers: (bytes) => `{"a":[${list('1', bytes)}]}`,
  objects: (bytes) => `{"a":[${list('{}', bytes)}]}`,
  'bare objects': (bytes) => `[${list('{}', bytes)}]`,
  arrays: (bytes) => `{"a":[${list('[]', bytes)}]}`,
  nulls: (bytes) => `{"a":[${list('null', bytes)}]}`,
  strings: (bytes) => `{"a":[${list('""', bytes)}]}`,
  fractions: (bytes) => `{"a":[${list('0.1e-300', bytes)}]}`,
  digits: (bytes) => `{"a":${'1'.repeat(bytes)}}`,
  keys: (bytes) => `{${numbered((i) => `"k${i}":1`, bytes)}}`,
  'inner keys': (bytes) => `{"title":{${numbered((i) => `"k${i}":1`, bytes)}}}`,
  'same keys': (bytes) => `{${list('"title":"a"', bytes)}}`,
  'number keys': (bytes) => `{${numbered((i) => `"${i * 7919}":1`, bytes)}}`,
  nesting: (bytes) => `{"a":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
  'nested objects': (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  'unclosed nesting': (bytes) => '['.repeat(bytes),
  'one text': (bytes) => `{"title":"${'a'.repeat(bytes)}"}`,
  escapes: (bytes) => `{"title":"${'\\u0041'.repeat(bytes / 6)}"}`,
  blanks: (bytes) => `{"title":${' '.repeat(bytes)}"a"}`,
};

const list = (unit, bytes) =>
  `${unit},`.repeat(Math.max(0, Math.floor(bytes / (unit.length + 1)))) + unit;

function numbered(make, bytes) {
  const parts = [];
  for (let size = 0; size < bytes; size += parts.at(-1).length + 1) parts.push(make(parts.length));
  return parts.join(',');
}

const FORMS = {
  brackets: (bytes) => `a${'[]'.repeat(bytes / 2)}=1`,
  'many brackets': (bytes) => repeatedField(`a${'[]'.repeat(12)}=1`, bytes),
  'named brackets': (bytes) => `a${'[b]'.repeat(bytes / 3)}=1`,
  'open brackets': (bytes) => `a${'['.repeat(bytes)}=1`,
  'list of objects': (bytes) => repeatedField('a[][b]=1&a[][c]=1', bytes),
  keys: (bytes) => numbered((i) => `k${i}=1`, bytes).replaceAll(',', '&'),
  repeated: (bytes) => repeatedField('title=a', bytes),
  ampersands: (bytes) => '&'.repeat(bytes),
  escapes: (bytes) => `title=${'%41'.repeat(bytes / 3)}`,
  'broken escapes': (bytes) => `title=${'%'.repeat(bytes)}`,
  pluses: (bytes) => `title=${'+'.repeat(bytes)}`,
};

const repeatedField = (field, bytes) => `${field}&`.repeat(bytes / (field.length + 1)) + field;

const ADDRESSES = {
  unknown: () => ['POST', '/api/v3/there-is-no-such-path'],
  outside: () => ['POST', '/nor/this'],
  session: () => ['POST', '/api/v3/session'],
  issues: ({ project }) => ['POST', `${project.api}/issues`],
  projects: () => ['POST', '/api/v3/projects'],
  notes: ({ project }) => ['PUT', `${project.api}/issues/1`],
  commits: ({ project }) => ['POST', `${project.api}/repository/commits`],
  files: ({ project }) => ['PUT', `${project.api}/repository/files`],
  get: () => ['GET', '/api/v3/projects'],
  git: ({ project }) => ['POST', `${project.path}/git-receive-pack`],
};

const TARGETS = {
  path: '/a/b/info/refs',
  address: 'http://elsewhere.example/a/b/info/refs',
  'another protocol': 'gopher://elsewhere.example/',
  slashes: `http://elsewhere.example${'/'.repeat(15_000)}`,
  'a long host': `http://${'a.'.repeat(7_000)}/`,
  asterisk: '*',
};

/** Headers that hold lists. */
const LISTS = [
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Authorization', 'Cookie', 'Content-Type'],
  ...['Forwarded', 'Git-Protocol', 'If-None-Match', 'Private-Token', 'Range', 'Traceparent'],
  ...['Tracestate', 'X-Forwarded-For', 'X-Request-Id'],
];

/** Sends the same body once or from several connections at once. */
const bodies = (name, about, sample, options = {}) => ({
  name,
  about,
  sample,
  ...options,
  vary: (random) => ({
    shape: random.pick(Object.keys(sample.type === FORM ? FORMS : SHAPES)),
    type: sample.type,
    bytes: random.pick([0.5, 2, 8, 19, 21, 60]) * MB,
    to: random.pick(Object.keys(ADDRESSES)),
    withToken: random.chance(0.5),
    atOnce: random.weighted([
      [1, 3],
      [4, 1],
    ]),
  }),
  async prepare(world, { shape, bytes, type }) {
    const project = await world.project();
    return { project, body: (type === FORM ? FORMS : SHAPES)[shape](bytes) };
  },
  async run(world, { to, type, withToken, atOnce }, { project, body }) {
    const [method, path] = ADDRESSES[to]({ project });
    const token = withToken ? world.mallory.token : undefined;
    const headers = { 'Content-Type': type };
    await world.many(atOnce, () => world.attack({ method, path, token, headers, body }));
  },
});

const JSON_TYPE = 'application/json';
const PUSH_TYPE = 'application/x-git-receive-pack-request';
const anonymous = { type: JSON_TYPE, bytes: 20 * MB, to: 'unknown', withToken: false, atOnce: 1 };

export const BODIES = [
  bodies('json-numbers', '20 MB of {"a":[1,1,…]} to an unknown path, anonymous', {
    ...anonymous,
    shape: 'numbers',
  }),
  bodies('json-objects', '20 MB of [{},{},…] to an unknown path, anonymous', {
    ...anonymous,
    shape: 'bare objects',
  }),
  bodies('json-keys', '1.6 million keys to an unknown path, anonymous', {
    ...anonymous,
    shape: 'keys',
  }),
  bodies('json-nesting', 'arrays nested ten million times, anonymous', {
    ...anonymous,
    shape: 'nesting',
  }),
  bodies('json-issue', '20 MB of objects in the title of an issue, with a token', {
    ...anonymous,
    shape: 'inner keys',
    to: 'issues',
    withToken: true,
  }),
  bodies('json-session', '20 MB of numbers to /session, four at once', {
    ...anonymous,
    shape: 'numbers',
    to: 'session',
    atOnce: 4,
  }),
  bodies('form-brackets', 'a form with the field a[][][]…, anonymous', {
    ...anonymous,
    type: FORM,
    shape: 'brackets',
  }),
  bodies('form-fields', 'a form of nested lists, anonymous', {
    ...anonymous,
    type: FORM,
    shape: 'many brackets',
  }),
  {
    name: 'query-strings',
    about: 'query strings as long as the server takes them',
    sample: { field: 'a[]', bytes: 15_000, count: 400 },
    vary: (random) => ({
      field: random.pick(['a[]', 'a[b]', 'labels', 'search', 'a[][b]', '%5B%5D', '']),
      bytes: random.pick([7_000, 15_000, 60_000]),
      count: random.integer(100, 600),
    }),
    async run(world, { field, bytes, count }) {
      const path = `/api/v3/issues?${repeatedField(`${field}=1`, bytes)}`;
      const token = world.mallory.token;
      await world.many(8, () => world.repeat(count / 8, () => world.attack({ path, token })));
    },
  },
  {
    name: 'long-headers',
    about: 'connections with 64 requests at once, each with an Accept of 15 KB',
    sample: { header: 'Accept', unit: 'a/b,', path: '/no/such/page', count: 30 },
    vary: (random) => ({
      header: random.pick(LISTS),
      unit: random.pick([
        'a/b,',
        '*/*,',
        'text/html;q=0.1,',
        ',',
        '127.0.0.1,',
        '"a",',
        'a=b;',
        '; a=b',
        ' ',
      ]),
      path: random.pick(['/no/such/page', '/', '/api/v3/projects', '/help', '/healthz']),
      count: random.integer(10, 60),
    }),
    async run(world, { header, unit, path, count }) {
      const value = unit.repeat(15_000 / unit.length);
      const request = head('GET', path, { [header]: `a${value}` });
      await world.repeat(count, async () => {
        world.hold().write(request.repeat(64));
        await new Promise((resolve) => setTimeout(resolve, 100));
      });
    },
  },
  {
    name: 'request-targets',
    about: 'whole addresses as targets, and several Host headers',
    sample: { target: 'address', hosts: 2, count: 200 },
    vary: (random) => ({
      target: random.pick(Object.keys(TARGETS)),
      hosts: random.integer(0, 500),
      count: random.integer(50, 400),
    }),
    async run(world, { target, hosts, count }) {
      const lines = [`GET ${TARGETS[target]} HTTP/1.1`, ...Array(hosts).fill('Host: a')];
      await world.repeat(count, async () => {
        world.hold().write(`${lines.join('\r\n')}\r\n\r\n`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      });
      await new Promise((resolve) => setTimeout(resolve, 500));
    },
  },
  {
    name: 'half-sent-bodies',
    about: 'bodies of which the last byte never comes, anonymous',
    sample: { count: 20, bytes: 19 * MB, to: 'unknown', type: JSON_TYPE },
    vary: (random) => ({
      count: random.integer(20, 200),
      bytes: random.pick([0.06, 1, 5, 19]) * MB,
      to: random.pick(['unknown', 'session', 'issues', 'commits']),
      type: random.pick([JSON_TYPE, FORM]),
    }),
    prepare: async (world) => ({ project: await world.project() }),
    async run(world, { count, bytes, to, type }, { project }) {
      const [method, path] = ADDRESSES[to]({ project });
      const size = Math.min(bytes, (400 * MB) / count);
      const body = Buffer.alloc(size, 0x20);
      for (let index = 0; index < count; index += 1) {
        const connection = world.hold();
        connection.write(head(method, path, { 'Content-Type': type, 'Content-Length': size + 1 }));
        connection.write(body);
      }
      await world.untilOver();
    },
  },
  {
    name: 'slow-bodies',
    about: 'bodies that come byte by byte',
    sample: { count: 100, to: 'session' },
    vary: (random) => ({
      count: random.integer(20, 200),
      to: random.pick(['unknown', 'session', 'issues', 'git']),
    }),
    prepare: async (world) => ({ project: await world.project() }),
    async run(world, { count, to }, { project }) {
      const [method, path] = ADDRESSES[to]({ project });
      const headers = { 'Content-Type': JSON_TYPE, 'Content-Length': 50_000 };
      const connections = Array.from({ length: count }, () => world.hold());
      for (const each of connections) each.write(head(method, path, headers));
      await world.repeat(80, async () => {
        for (const each of connections) each.write(' ');
        await new Promise((resolve) => setTimeout(resolve, 100));
      });
    },
  },
  pieces('body-pieces', '62 bodies of 64,000 chunks of one byte, anonymous, again and again', {
    ...{ count: 62, bytes: 64_000, chunk: 1, to: 'session', type: JSON_TYPE, withToken: false },
  }),
  pieces('body-pieces-known', 'a body of four million chunks of one byte, with a token', {
    ...{ count: 1, bytes: 4 * MB, chunk: 1, to: 'commits', type: JSON_TYPE, withToken: true },
  }),
  pieces('body-pieces-pushed', 'eight pushes in chunks of 64 bytes', {
    ...{ count: 8, bytes: 20 * MB, chunk: 64, to: 'git', type: PUSH_TYPE, withToken: true },
  }),
  {
    name: 'multipart',
    about: 'uploads of many parts, fields and long names',
    sample: { shape: 'fields', count: 200_000 },
    vary: (random) => ({
      shape: random.pick(Object.keys(PARTS)),
      count: random.integer(1_000, 300_000),
    }),
    async prepare(world, { shape, count }) {
      const parts = PARTS[shape](count);
      return { project: await world.project(), body: `${parts}--b--\r\n` };
    },
    async run(world, _, { project, body }) {
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
      const { token } = world.mallory;
      const path = `${project.api}/uploads`;
      await world.many(4, () => world.attack({ method: 'POST', path, token, headers, body }));
    },
  },
];

/** Sends bodies in chunks of a size, from new connections every time. */
function pieces(name, about, sample) {
  return {
    name,
    about,
    sample,
    vary: (random) => ({
      count: random.pick([1, 4, 62, 200]),
      bytes: random.pick([0.064, 0.5, 4]) * MB,
      chunk: random.pick([1, 2, 16, 60, 64, 100, 1_000]),
      to: random.pick(Object.keys(ADDRESSES)),
      type: random.pick([JSON_TYPE, FORM, 'multipart/form-data; boundary=b', PUSH_TYPE]),
      withToken: random.chance(0.5),
    }),
    prepare: async (world) => ({ project: await world.project() }),
    async run(world, { count, bytes, chunk, to, type, withToken }, { project }) {
      const [method, path] = ADDRESSES[to]({ project });
      const { token, basic } = world.mallory;
      const headers = {
        'Content-Type': type,
        'Transfer-Encoding': 'chunked',
        ...(withToken ? { 'PRIVATE-TOKEN': token, Authorization: basic } : {}),
      };
      const piece = `${chunk.toString(16)}\r\n${' '.repeat(chunk)}\r\n`;
      const most = Math.min(bytes, (200 * MB) / count);
      const body = Buffer.from(`${piece.repeat(most / chunk)}0\r\n\r\n`);
      await world.repeat(10, async () => {
        for (let index = 0; index < count; index += 1) {
          const connection = world.hold();
          connection.write(head(method, path, headers));
          connection.write(body);
        }
        await new Promise((resolve) => setTimeout(resolve, 500));
      });
    },
  };
}

const part = (disposition, content = 'a') =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;

const PARTS = {
  fields: (count) => part('name="a[]"').repeat(count),
  files: (count) => part('name="file"; filename="a"').repeat(count),
  'long names': (count) => part(`name="file"; filename="${'a'.repeat(count * 40)}"`),
  'long field': (count) => part('name="a"', 'a'.repeat(count * 60)),
  headers: (count) => `--b\r\n${'X-Header: a\r\n'.repeat(count)}\r\na\r\n`,
  escapes: (count) => part(`name="file"; filename*=utf-8''${'%41'.repeat(count)}`),
  'near boundaries': (count) => part('name="file"; filename="a"', '\r\n--'.repeat(count * 10)),
};
