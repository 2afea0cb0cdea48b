import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { ObjectDamagedError, type Commit, type Repository } from '../../../src/git/index.js';
import { convertToUtf8 } from '../../../src/git/model/commit-encoding.js';
import { parseCommit } from '../../../src/git/model/commit-parser.js';
import { git, line, Workshop } from './support/workshop.js';

const OID = 'a'.repeat(40);
const TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const FORMAT = ['%H', '%T', '%P', '%an', '%ae', '%at', '%cn', '%ce', '%ct', '%B'].join('%x00');

interface Generated {
  author: string;
  committer: string;
  headers: string;
  message: string;
}

const word = fc.stringMatching(/^[A-Za-z0-9äöß€漢字 .'"(),_-]{0,12}$/);
const time = fc.integer({ min: 0, max: 4_000_000_000 });
const zone = fc.constantFrom('+0000', '-0330', '+1400', '+0200');
const person = fc
  .tuple(word, word, time, zone)
  .map(([name, email, at, offset]) => `${name} <${email}> ${at} ${offset}`);
const folded = fc
  .array(word, { minLength: 1, maxLength: 4 })
  .map((lines) => lines.map((text) => text.trim() || 'x').join('\n '));
const headers = fc
  .array(fc.tuple(fc.constantFrom('gpgsig', 'mergetag', 'x-unknown'), folded), { maxLength: 3 })
  .map((list) => list.map(([name, value]) => `${name} ${value}\n`).join(''));
const message = fc
  .array(fc.oneof(word, fc.constantFrom('', 'tree x', ' indented', 'parent y')), { maxLength: 6 })
  .map((lines) => lines.join('\n'));
const generated: fc.Arbitrary<Generated> = fc.record({
  author: person,
  committer: person,
  headers,
  message,
});

function serialise(commit: Generated, parents: string[] = [], encoding = ''): string {
  return [
    `tree ${TREE}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${commit.author}`,
    `committer ${commit.committer}`,
    ...(encoding ? [`encoding ${encoding}`] : []),
    `${commit.headers}\n${commit.message}`,
  ].join('\n');
}

function asLogged(commit: Commit): string {
  const people = [commit.author, commit.committer].flatMap(({ name, email, date }) => [
    name,
    email,
    String(date.getTime() / 1000),
  ]);
  return [commit.oid, commit.tree, commit.parents.join(' '), ...people, commit.message].join('\0');
}

describe('parseCommit', () => {
  let workshop: Workshop;
  let repository: Repository;

  beforeAll(async () => {
    workshop = await Workshop.open();
    repository = await workshop.repository(line(2));
  });

  afterAll(() => workshop.close());

  async function store(contents: Buffer[]): Promise<string[]> {
    const files = await Promise.all(
      contents.map(async (content, index) => {
        const file = join(workshop.folder, `commit-${index}`);
        await writeFile(file, content);
        return file;
      }),
    );
    const args = ['hash-object', '-w', '-t', 'commit', '--literally', '--stdin-paths'];
    const oids = await git(args, { cwd: repository.path, input: files.join('\n') });
    return oids.split('\n');
  }

  it('reads what git log reads', async () => {
    const parents = (await git(['rev-list', 'master'], { cwd: repository.path })).split('\n');
    const samples = fc.sample(generated, { numRuns: 60, seed: 7 });
    const contents = samples.map((sample, index) =>
      Buffer.from(serialise(sample, parents.slice(0, index % 3))),
    );
    const oids = await store(contents);
    const input = [...new Set(oids)].join('\n');
    const log = await git(
      ['log', '--no-walk=unsorted', '--stdin', `--format=tformat:${FORMAT}%x01`],
      {
        cwd: repository.path,
        input,
      },
    );
    const expected = log.split('\x01').map((text) => text.replace(/^\n/, ''));
    const commits = await repository.objects.commits([...new Set(oids)]);
    expect(commits.map((commit) => commit && asLogged(commit))).toEqual(expected.slice(0, -1));
  });

  /**
   * Expects that commits with these bytes in names and messages are read as git reads them.
   * @param isLenient leaves out what git cannot decode
   */
  async function expectAsLogged(
    encoding: string,
    texts: Buffer[],
    { isLenient = false } = {},
  ): Promise<Commit[]> {
    const contents = texts.map((bytes) => {
      const person = 'A @ <@> 1 +0000';
      const parts = { author: person, committer: person, headers: '', message: '@\n' };
      const text = serialise(parts, [], encoding).replaceAll('@', () => bytes.toString('latin1'));
      return Buffer.from(text, 'latin1');
    });
    const oids = await store(contents);
    const log = await git(
      ['log', '--no-walk=unsorted', '--stdin', `--format=tformat:${FORMAT}%x01`],
      { cwd: repository.path, input: oids.join('\n') },
    );
    const expected = log.split('\x01').map((text) => text.replace(/^\n/, ''));
    const rows = oids.flatMap((oid, index) => {
      const commit = parseCommit(oid, contents[index] ?? Buffer.alloc(0));
      const wanted = expected[index] ?? '';
      if (isLenient && wanted.includes('\ufffd')) return [];
      return { commit, text: texts[index]?.toString('hex'), wanted };
    });
    expect(rows.map(({ text, commit }) => [text, asLogged(commit)])).toEqual(
      rows.map(({ text, wanted }) => [text, wanted]),
    );
    return rows.map(({ commit }) => commit);
  }

  const UPPER_HALF = Array.from({ length: 128 }, (_, index) => 0x80 + index);

  it.each([
    ...['ISO-8859-1', 'latin1', 'latin-1', 'ISO8859-1', 'ISO_8859-1:1987', 'windows-1252'],
    ...['CP1251', 'ISO-8859-2', 'ISO-8859-15', 'KOI8-R', 'CP866', 'US-ASCII', 'x-klingon'],
    ...['UTF-8', 'utf8', 'UTF-7', '', 'constructor', 'base64', 'hex', 'CESU-8', 'binary'],
  ])('reads encoding %p as git does', async (encoding) => {
    const controls = UPPER_HALF.slice(0, 32).map((byte) => Buffer.from([0x61, byte, 0x62]));
    await expectAsLogged(encoding, [...controls, Buffer.from(UPPER_HALF.slice(32))]);
  });

  it('reads the bytes of ISO-8859-1 that windows-1252 has other characters for', async () => {
    const [commit] = await expectAsLogged('ISO-8859-1', [Buffer.from(UPPER_HALF)]);
    expect(commit?.message).toBe(`${String.fromCharCode(...UPPER_HALF)}\n`);
  });

  /** Text of JIS X 0208: rows of signs and of characters, and each sign alone. */
  const ROWS = [0x21, 0x23, 0x24, 0x25, 0x30, 0x4e, 0x50, 0x73];
  const CELLS = Array.from({ length: 94 }, (_, index) => 0x21 + index);
  const JAPANESE = [
    ...ROWS.map((row) => CELLS.map((cell) => [row, cell])),
    ...[0x21, 0x22].flatMap((row) => CELLS.map((cell) => [[row, cell]])),
  ];

  it('reads EUC-JP as git does', async () => {
    const texts = JAPANESE.map((text) => Buffer.from(text.flat().map((byte) => byte | 0x80)));
    const [first] = await expectAsLogged('EUC-JP', texts, { isLenient: true });
    expect(first?.author.name).toMatch(/^A \u3000、。.*〜‖.*−.*¢£/);
  });

  it('reads ISO-2022-JP as git does', async () => {
    const texts = JAPANESE.map((text) =>
      Buffer.from([0x1b, 0x24, 0x42, ...text.flat(), 0x1b, 0x28, 0x42]),
    );
    const [first] = await expectAsLogged('ISO-2022-JP', texts, { isLenient: true });
    expect(first?.author.name).toMatch(/^A \u3000、。.*〜‖.*−.*¢£/);
    const invalid = ['\x1b$D1', '\x1b(I1', 'a\xe9'].map((text) => Buffer.from(text, 'latin1'));
    await expectAsLogged('ISO-2022-JP', invalid);
  });

  it.each([
    ['Shift_JIS', 0x81],
    ['CP932', 0x81],
    ['CP932', 0x87],
    ['GB2312', 0xa1],
    ['GBK', 0x81],
    ['GB18030', 0xb0],
    ['Big5', 0xa4],
    ['EUC-KR', 0xb0],
  ])('reads %s as git does, in the row %d', async (encoding, row) => {
    const cells = [...Array.from({ length: 63 }, (_, index) => 0x40 + index), ...UPPER_HALF];
    const texts = cells.map((cell) => Buffer.from([row, cell]));
    const commits = await expectAsLogged(encoding, texts, { isLenient: true });
    expect(commits.length).toBeGreaterThan(80);
  });

  /** Of all encodings that iconv-lite knows, under every name. */
  const namesOfEncodings = (): string[] => {
    iconv.encodingExists('utf8');
    return Object.keys((iconv as unknown as { encodings: object }).encodings).filter(
      (name) => !name.startsWith('_'),
    );
  };

  it('converts only from encodings of one byte and of two', () => {
    const texts = [
      ...UPPER_HALF.map((byte) => Buffer.from([0x61, byte, 0x61])),
      ...['\xb0\xa1', 'a+AGE-', 'a&AGE-', '\xed\xa0\xbd\xed\xb8\x80', 'YWJj'].map((text) =>
        Buffer.from(text, 'latin1'),
      ),
    ];
    const codecs = new Map<string, string[]>();
    for (const name of namesOfEncodings()) {
      if (!texts.some((text) => !convertToUtf8(text, name).equals(text))) continue;
      const codec = (iconv as unknown as { getCodec(name: string): object }).getCodec(name);
      const { name: kind } = codec.constructor;
      codecs.set(kind, [...(codecs.get(kind) ?? []), name]);
    }
    expect([...codecs.keys()].sort()).toEqual(['DBCSCodec', 'SBCSCodec']);
    expect(codecs.get('SBCSCodec')?.length).toBeGreaterThan(200);
    expect(codecs.get('DBCSCodec')).toEqual(
      expect.arrayContaining(['eucjp', 'shiftjis', 'gbk', 'gb18030', 'big5', 'euckr']),
    );
  });

  it('reads every text in bounded time, in every claimed encoding', () => {
    const texts = ['&', '+a!', '\xed\xa0\x80', '\xa1'].map((part) =>
      Buffer.alloc(256 * 1024, Buffer.from(part, 'latin1')),
    );
    const { getCodec } = iconv as unknown as { getCodec(name: string): object };
    const names = new Map(namesOfEncodings().map((name) => [getCodec(name), name]));
    const isSlow = (text: Buffer, name: string): boolean => {
      const begun = process.cpuUsage();
      convertToUtf8(text, name);
      return process.cpuUsage(begun).user > 100_000;
    };
    const slow = [...names.values(), 'iso-2022-jp'].filter((name) =>
      texts.some((text) => {
        // Loads the tables.
        convertToUtf8(Buffer.from('a'), name);
        // Threads of V8 that happen to work count as well: twice is no accident.
        return isSlow(text, name) && isSlow(text, name);
      }),
    );
    expect(slow).toEqual([]);
  });

  it('never puts a NUL into a name', () => {
    const names = [
      ...UPPER_HALF.map((high) => UPPER_HALF.flatMap((low) => [high, low, 0x61])),
      [0x41, 0xc0, 0x80, 0x42],
    ].map((bytes) => Buffer.from(bytes).toString('latin1'));
    for (const encoding of namesOfEncodings()) {
      const people = names.map((name) => {
        const parts = { committer: 'J <j> 1 +0000', headers: '', message: '' };
        const text = serialise({ ...parts, author: `${name} <a> 1 +0000` }, [], encoding);
        return parseCommit(OID, Buffer.from(text, 'latin1')).author.name;
      });
      expect([encoding, people.filter((name) => name.includes('\0'))]).toEqual([encoding, []]);
    }
  });

  it('reads a commit with half a million headers quickly', () => {
    const person = 'J <j> 1 +0000';
    const parts = { author: person, committer: person, message: 'x' };
    const content = Buffer.from(serialise({ ...parts, headers: 'a\n'.repeat(500_000) }));
    const begun = process.cpuUsage();
    expect(parseCommit(OID, content).message).toBe('x');
    expect(process.cpuUsage(begun).user).toBeLessThan(200_000);
  });

  it('takes the parents that git takes', async () => {
    const [tip = '', first = ''] = (
      await git(['rev-list', 'master'], { cwd: repository.path })
    ).split('\n');
    const person = 'J <j> 1 +0000';
    const parts = { author: person, committer: person, message: `parent ${tip}\n` };
    const contents = [
      ...[[], [first], [tip, first], [first, first]].map((parents) =>
        serialise({ ...parts, headers: '' }, parents),
      ),
      ...[[], [first]].flatMap((parents) => [
        serialise({ ...parts, headers: `parent ${tip}\n` }, parents),
        serialise({ ...parts, headers: `gpgsig a\n parent ${tip}\n` }, parents),
      ]),
    ].map((text) => Buffer.from(text));
    const oids = await store(contents);
    const log = await git(['log', '--no-walk=unsorted', '--stdin', '--format=%P'], {
      cwd: repository.path,
      input: oids.join('\n'),
    });
    const read = contents.map((content) => parseCommit(OID, content).parents.join(' '));
    expect(read.join('\n').trimEnd()).toBe(log.trimEnd());
  });

  it('shows the readable part of a commit that is cut within a character', () => {
    const text = serialise({ author: '', committer: '', headers: '', message: '' }, [], 'EUC-JP');
    const cut = Buffer.concat([Buffer.from(text), Buffer.from([0xa4, 0xa2, 0xa4])]);
    expect(parseCommit(OID, cut).message).toBe('あ');
  });

  it('shows the readable part of bytes that are not UTF-8', () => {
    const plain = { author: 'J <j> 1 +0000', committer: 'J <j> 1 +0000', headers: '' };
    const broken = Buffer.from(serialise({ ...plain, message: 'Grüße' }), 'latin1');
    expect(parseCommit(OID, broken).message).toBe('Gr\ufffd\ufffde');
  });

  it.each([
    ['Ada', { name: '', email: '', seconds: 0, timezone: '+0000' }],
    ['Ada <a@b', { name: '', email: '', seconds: 0, timezone: '+0000' }],
    ['<> 5 +0100', { name: '', email: '', seconds: 5, timezone: '+0100' }],
    ['Ada <a@b> x', { name: 'Ada', email: 'a@b', seconds: 0, timezone: '+0000' }],
    [
      'Ada <a@b> 99999999999999999999 +0100',
      { name: 'Ada', email: 'a@b', seconds: 0, timezone: '+0100' },
    ],
    ['Ada <a@b> 7 +051800', { name: 'Ada', email: 'a@b', seconds: 7, timezone: '+0000' }],
    ['A <a> b> 8 -0100', { name: 'A', email: 'a', seconds: 8, timezone: '-0100' }],
  ])('tolerates the person %j', (author, { seconds, ...expected }) => {
    const content = serialise({ author, committer: author, headers: '', message: 'x' });
    const { author: read } = parseCommit(OID, Buffer.from(content));
    expect(read).toEqual({ ...expected, date: new Date(seconds * 1000) });
  });

  it('reads offsets without four digits as git does', async () => {
    const offsets = ['-700', '+530', '-5', '+0', '-00530', '+00000001', '+1400', '-1x', '+07:00'];
    const times = [...offsets.map((offset) => `1500000000 ${offset}`), '1500000000+0530'];
    const contents = times.map((at) => {
      const author = `A <a> ${at}`;
      return Buffer.from(serialise({ author, committer: author, headers: '', message: 'x' }));
    });
    const oids = await store(contents);
    const log = await git(['log', '--no-walk=unsorted', '--stdin', '--format=%ai'], {
      cwd: repository.path,
      input: oids.join('\n'),
    });
    const commits = await repository.objects.commits(oids);
    expect(commits.map((commit) => commit?.author.timezone)).toEqual(
      log.split('\n').map((text) => text.slice(-5)),
    );
  });

  it('ends a message at a NUL, as git does', () => {
    const content = serialise({ author: '', committer: '', headers: '', message: 'a\0b' });
    expect(parseCommit(OID, Buffer.from(content)).message).toBe('a');
  });

  it('fails only for a missing tree', () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
    const prefix = fc.constantFrom(
      '',
      `tree ${TREE}\n`,
      `tree ${TREE}\nauthor `,
      'encoding utf-16\n',
    );
    fc.assert(
      fc.property(prefix, bytes, (start, rest) => {
        const content = Buffer.concat([Buffer.from(start), rest]);
        try {
          expect(parseCommit(OID, content).author.date.getTime()).not.toBeNaN();
        } catch (error) {
          expect(error).toBeInstanceOf(ObjectDamagedError);
          expect(start.startsWith('tree')).toBe(false);
        }
      }),
    );
  });
});
