// Conversations of git's three services, by the grammar of their protocols and with mutations.
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { maybe, several } from './bytes.mjs';

const ZERO = '0'.repeat(40);
const FLUSH = '0000';
const DELIMITER = '0001';
const RESPONSE_END = '0002';
/** The largest payload of a packet. */
const MOST_PAYLOAD = 65_516;
/** What repeated lines may take together. */
const MOST_REPEATED_BYTES = 2_000_000;

const FETCH_CAPABILITIES = [
  ...['multi_ack', 'multi_ack_detailed', 'no-done', 'thin-pack', 'side-band', 'side-band-64k'],
  ...['ofs-delta', 'shallow', 'deepen-since', 'deepen-not', 'deepen-relative', 'no-progress'],
  ...['include-tag', 'filter', 'allow-tip-sha1-in-want', 'object-format=sha1', 'agent=git/2'],
];
const PUSH_CAPABILITIES = [
  ...['report-status', 'report-status-v2', 'delete-refs', 'quiet', 'atomic', 'ofs-delta'],
  ...['side-band-64k', 'push-options', 'object-format=sha1', 'agent=git/2', 'agent=git/2'],
];
const NOT_OFFERED = [
  ...['push-cert=nonce', 'object-format=sha256', 'session-id=a', 'a', 'packfile-uris', 'sideband'],
];
const REFS = ['refs/heads/master', 'refs/heads/new', 'refs/heads/a/b', 'refs/tags/v2'];
const ODD_REFS = [
  ...['refs/heads/master.lock', 'refs/heads/..', 'refs/pull/1/head', 'refs/merge-requests/1/head'],
  ...['HEAD', 'refs/heads/', '../../config', 'refs/heads/\xff', 'refs/heads/a b', 'refs/keep/a'],
  ...['refs/heads/a\nrefs/heads/b', `refs/heads/${'a'.repeat(300)}`, 'refs/heads/new/under', ''],
];
const FILTERS = [
  ...['blob:none', 'blob:limit=1k', 'tree:0', 'tree:99999999999', 'sparse:oid=HEAD', 'a', ''],
  ...['combine:blob:none+tree:1', `combine:${'tree:1+'.repeat(500)}tree:1`, 'object:type=blob'],
];
const DEPTHS = ['1', '2', '0', '-1', '2147483648', 'a', ''];
const TIMES = ['0', '1700000000', '-1', '99999999999999999999', 'a'];
const ARCHIVE_ARGUMENTS = [
  ...['--format=tar', '--format=zip', '--format=tgz', '--format=a', '--prefix=a/', '--prefix=../'],
  ...[
    'HEAD',
    'master',
    'master:a',
    '--',
    '-v',
    '--list',
    '--output=/tmp/trellis-fuzz',
    '-0',
    '-99',
  ],
  ...['--remote=a', '--exec=a', '--add-file=/etc/passwd', '--worktree-attributes', '--mtime=a', ''],
];

const repeated = (length) => Buffer.alloc(length, 'a');
const digits = (length) => length.toString(16).padStart(4, '0');

/** A line is a payload, a special packet or bytes that are no packet. */
const line = (payload) => ({ payload: Buffer.from(payload, 'latin1') });
const raw = (bytes) => ({ bytes: Buffer.from(bytes, 'latin1') });
const flush = raw(FLUSH);

function encode({ payload, bytes, length }) {
  return bytes ?? Buffer.concat([Buffer.from(length ?? digits(payload.length + 4)), payload]);
}

const capabilities = (random, offered) =>
  [
    ...offered.filter(() => random.chance(0.4)),
    ...maybe(random, 0.08, () => [random.pick(NOT_OFFERED)], []),
    ...maybe(random, 0.08, () => [random.pick(offered)], []),
  ].join(' ');

/** @param at `oids` of the repository */
const anyId = (random, { oids }) =>
  random.weighted([
    [random.pick(oids), 8],
    [random.bytes(20).toString('hex'), 1],
    [ZERO, 0.3],
  ]);

const boundaries = (random, at) => [
  ...several(random, 0, 2, () => line(`shallow ${anyId(random, at)}\n`)),
  ...maybe(
    random,
    0.5,
    () => [
      random.pick([
        () => line(`deepen ${random.pick(DEPTHS)}\n`),
        () => line(`deepen-since ${random.pick(TIMES)}\n`),
        () => line(`deepen-not ${random.pick(REFS)}\n`),
        () => line(`filter ${random.pick(FILTERS)}\n`),
      ])(),
    ],
    [],
  ),
];
const haves = (random, at) =>
  several(random, 0, random.pick([1, 5, 70]), () => line(`have ${anyId(random, at)}\n`));

function fetchLines(random, at) {
  const wants = several(random, 1, 3, (index) => {
    const asked = index === 0 ? ` ${capabilities(random, FETCH_CAPABILITIES)}` : '';
    return line(`want ${anyId(random, at)}${asked}\n`);
  });
  const bounded = random.chance(0.3) ? boundaries(random, at) : [];
  const rounds = several(random, 0, 2, () => [...haves(random, at), flush]).flat();
  return [...wants, ...bounded, flush, ...rounds, ...haves(random, at), line('done\n')];
}

const COMMANDS = {
  'ls-refs': (random) =>
    several(random, 0, 5, () =>
      line(
        `${random.pick(['peel', 'symrefs', 'unborn', `ref-prefix ${random.pick([...REFS, ...ODD_REFS])}`])}\n`,
      ),
    ),
  fetch: (random, at) => [
    ...several(random, 0, 3, () => line(`want ${anyId(random, at)}\n`)),
    ...haves(random, at),
    ...maybe(random, 0.3, () => boundaries(random, at), []),
    ...several(random, 0, 4, () =>
      line(
        `${random.pick(['thin-pack', 'no-progress', 'include-tag', 'ofs-delta', 'deepen-relative', 'wait-for-done', 'sideband-all', 'packfile-uris https', `want-ref ${random.pick(REFS)}`])}\n`,
      ),
    ),
    ...maybe(random, 0.8, () => [line('done\n')], []),
  ],
  'object-info': (random, at) => [line('size\n'), line(`oid ${anyId(random, at)}\n`)],
  'bundle-uri': () => [],
  unknown: () => [],
};

function commandLines(random, at) {
  const name = random.weighted([
    ['fetch', 5],
    ['ls-refs', 3],
    ['object-info', 0.5],
    ['bundle-uri', 0.5],
    ['unknown', 0.5],
  ]);
  return [
    line(`command=${name}\n`),
    ...several(random, 0, 3, () =>
      line(random.pick(['agent=git/2\n', 'object-format=sha1\n', 'server-option=a\n', 'a=b\n'])),
    ),
    raw(DELIMITER),
    ...COMMANDS[name](random, at),
    flush,
  ];
}

const TYPES = [1, 2, 3, 4, 0, 5];
const CONTENTS = [
  ...['', 'a', `tree ${ZERO}\n`, `100644 a\0${'\x01'.repeat(20)}`, `object ${ZERO}\ntype commit\n`],
];

/** An object of a pack, or a difference, whose size may be wrong. */
function packEntry(random, { oids }) {
  const content = Buffer.from(random.pick(CONTENTS), 'latin1');
  const size = (content.length + random.pick([0, 0, 0, 1, 9])) & 15;
  const compressed = deflateSync(content);
  const base = random.pick([
    () => [(random.pick(TYPES) << 4) | size],
    () => [(6 << 4) | size, random.integer(0, 127)],
    () => [(7 << 4) | size, ...Buffer.from(random.pick(oids), 'hex')],
    // A size without end.
    () => [...repeated(random.integer(1, 12)).fill(0xff), 1],
  ])();
  return Buffer.concat([Buffer.from(base), compressed]);
}

/** @param at `pack`, a valid one */
function packOf(random, at) {
  if (random.chance(0.5)) return at.pack;
  const entries = several(random, 0, 4, () => packEntry(random, at));
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(random.pick([2, 2, 2, 3, 4, 0]), 4);
  head.writeUInt32BE(random.pick([entries.length, entries.length, 0, 5, 2 ** 32 - 1]), 8);
  const body = random.chance(0.3) ? at.pack.subarray(0, -20) : Buffer.concat([head, ...entries]);
  const hash = createHash('sha1').update(body).digest();
  return Buffer.concat([body, random.chance(0.6) ? hash : random.bytes(20)]);
}

function pushLines(random, at) {
  const asked = capabilities(random, PUSH_CAPABILITIES);
  const isCertified = random.chance(0.08);
  const commands = several(random, 1, random.pick([1, 3, 40]), (index) => {
    const ref = random.weighted([
      [random.pick(REFS), 5],
      [`refs/heads/n${random.integer(0, 50)}`, 3],
      [random.pick(ODD_REFS), 2],
    ]);
    const [from, to] = [random.chance(0.6) ? ZERO : anyId(random, at), anyId(random, at)];
    return line(`${from} ${to} ${ref}${index === 0 && !isCertified ? `\0${asked}` : ''}\n`);
  });
  const certified = [
    ...[line(`push-cert\0${asked}\n`), line('certificate version 0.1\n')],
    ...[line('pusher A <a@example.com> 1700000000 +0000\n'), line('nonce a\n'), line('\n')],
    ...[...commands, line('-----BEGIN PGP SIGNATURE-----\n'), line('push-cert-end\n')],
  ];
  const options = asked.includes('push-options')
    ? [...several(random, 0, 3, () => line(random.pick(['ci.skip', 'a=b', '\0', 'é']))), flush]
    : [];
  return [
    ...several(random, 0, random.pick([0, 0, 2]), () => line(`shallow ${anyId(random, at)}`)),
    ...(isCertified ? certified : commands),
    flush,
    ...options,
    { bytes: packOf(random, at) },
  ];
}

const archiveLines = (random) => [
  ...several(random, 1, random.pick([3, 70]), () =>
    line(`argument ${random.pick(ARCHIVE_ARGUMENTS)}\n`),
  ),
  flush,
];

/** By service and version of the protocol. */
const SERVICES = {
  'git-upload-pack': {
    0: fetchLines,
    1: fetchLines,
    2: (random, at) => several(random, 1, 2, () => commandLines(random, at)).flat(),
  },
  'git-receive-pack': { 0: pushLines, 1: pushLines, 2: pushLines },
  'git-upload-archive': { 0: archiveLines, 1: archiveLines, 2: archiveLines },
};

const WRONG_LENGTHS = [
  '0000',
  '0003',
  '0004',
  'fff0',
  'fff1',
  'ffff',
  'zzzz',
  '-001',
  ' 10 ',
  '+1',
];

/** Each changes the list of lines at an index. */
const MUTATIONS = [
  (_, lines, at) => lines.splice(at, 1),
  (_, lines, at) => lines.splice(at, 0, lines[at]),
  (random, lines, at) => lines.splice(random.integer(0, lines.length), 0, ...lines.splice(at, 1)),
  (random, lines, at) =>
    lines.splice(at, 0, raw(random.pick([FLUSH, DELIMITER, RESPONSE_END, '0003', '0004']))),
  (random, lines, at) => (lines[at] = { ...lines[at], length: random.pick(WRONG_LENGTHS) }),
  (random, lines, at) => {
    const { payload = Buffer.alloc(0) } = lines[at];
    lines[at] = { ...lines[at], length: digits(payload.length + random.pick([3, 5, 6, 100])) };
  },
  (random, lines, at) => change(lines, at, (payload) => Buffer.concat([payload, random.bytes(9)])),
  (_, lines, at) => change(lines, at, (payload) => Buffer.concat([payload, Buffer.of(0)])),
  (random, lines, at) =>
    change(lines, at, (payload) =>
      Buffer.concat([
        payload,
        repeated(Math.max(0, MOST_PAYLOAD - payload.length + random.integer(-1, 4))),
      ]),
    ),
  (random, lines, at) =>
    change(lines, at, (payload) => payload.subarray(0, random.integer(0, payload.length))),
  (_, lines, at) => change(lines, at, (payload) => Buffer.from(`\n${payload.toString('latin1')}`)),
  (random, lines, at) => {
    const bytes = encode(lines[at]);
    const most = Math.floor(MOST_REPEATED_BYTES / bytes.length);
    const count = Math.min(most, random.pick([10, 300, 11_000, 40_000]));
    lines[at] = { bytes: Buffer.concat(Array.from({ length: count }, () => bytes)) };
  },
  (random, lines, at) => lines.splice(at, 0, { bytes: random.bytes(random.pick([1, 4, 50])) }),
];

function change(lines, at, make) {
  const { payload } = lines[at];
  if (payload !== undefined) lines[at] = { ...lines[at], payload: make(payload) };
}

/**
 * What a client sends to a service.
 * @param at `oids` of a repository, and a `pack` for it
 * @param mutations how many
 */
export function packets(random, { service, version, mutations }, at) {
  const lines = SERVICES[service][version](random, at);
  for (let count = mutations; count > 0 && lines.length > 0; count -= 1) {
    random.pick(MUTATIONS)(random, lines, random.integer(0, lines.length - 1));
  }
  return Buffer.concat(lines.map(encode));
}
