import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { ObjectDamagedError, type Commit, type Repository } from '../../../src/git/index.js';
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

  async function logged(oid: string): Promise<string> {
    return git(['log', '-1', '-z', `--format=tformat:${FORMAT}%x01`, oid], {
      cwd: repository.path,
    });
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

  it('decodes by the encoding header, and shows what it can of an unknown one', async () => {
    const plain = { author: 'J <j> 1 +0000', committer: 'J <j> 1 +0000', headers: '' };
    const text = serialise({ ...plain, author: 'Jürgen <ü> 1 +0000', message: 'Grüße\n' }, [], '@');
    const inLatin = Buffer.from(text.replace('@', 'ISO-8859-1'), 'latin1');
    const unknown = Buffer.from(text.replace('@', 'x-klingon'));
    const broken = Buffer.from(serialise({ ...plain, message: 'Grüße' }), 'latin1');
    const [latinOid = ''] = await store([inLatin]);
    const latin = parseCommit(latinOid, inLatin);
    expect(latin.message).toBe('Grüße\n');
    expect(`${asLogged(latin)}\x01`).toBe((await logged(latinOid)).replace(/\0$/, ''));
    expect(parseCommit(OID, unknown).author.name).toBe('Jürgen');
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

  it('fails on nothing but the lack of a tree', () => {
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
