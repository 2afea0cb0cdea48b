// Objects that are small on the wire and large in memory, and the calls that read them afterwards.
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { commit, data, packetLine, WHO } from '../git-client.mjs';

const MB = 1_000_000;
const READS = ['branches', 'commits', 'commits?per_page=100', 'tags', 'tree', 'contributors'];

async function readLists(world, project, lists = READS) {
  const { token } = world.mallory;
  for (const list of lists) {
    if (world.isOver) return;
    await world.attack({ path: `${project.api}/repository/${list}`, token });
  }
}

const file = (content) => ({ files: { 'a.txt': content } });

/** Pushes what is imported, and reads the lists. */
const pushed = (name, about, sample, vary, build, lists = READS) => ({
  name,
  about,
  sample,
  vary,
  limitMs: 30_000,
  async prepare(world, params) {
    const project = await world.project();
    await build(project.git, params, world.random);
    return project;
  },
  async run(world, _, project) {
    if (await world.push(project)) await readLists(world, project, lists);
  },
});

/** A tree whose paths are `width` to the power of `levels`, in as many objects as it has levels. */
async function treeBomb(git, { levels, width }) {
  let entry = `100644 blob ${await git.write('blob', ['a'])}`;
  for (let level = 0; level < levels; level += 1) {
    const names = Array.from({ length: width }, (_, i) => `${entry}\tn${i}\n`);
    entry = `040000 tree ${await git.tree(names)}`;
  }
  const first = await git.commitTree(await git.tree([]), 'Nothing');
  const hash = entry.split(' ')[2];
  await git.point('refs/heads/empty', first);
  await git.point('refs/heads/master', await git.commitTree(hash, 'A bomb', first));
}

async function deepTree(git, { levels }) {
  const path = `${'d/'.repeat(levels)}a.txt`;
  await git.import(commit({ message: 'Deep', files: { [path]: 'a' } }));
}

const bombReads = ({ api, path }) => [
  `${api}/repository/commits/master/diff`,
  `${api}/repository/compare?from=empty&to=master`,
  `${api}/repository/commits/master`,
  `${api}/repository/tree?recursive=true`,
  `${api}/repository/commits?path=n0/n0/n0`,
  `${path.replace(/\.git$/, '')}/commit/master.diff`,
];

/** Reads a tree bomb in all ways, several times at once. */
const bomb = (name, about, sample, vary) => ({
  name,
  about,
  sample,
  vary,
  limitMs: 15_000,
  async prepare(world, params) {
    const project = await world.project();
    await treeBomb(project.git, params);
    await world.pushQuietly(project);
    return project;
  },
  async run(world, { atOnce }, project) {
    const { token } = world.mallory;
    for (const path of bombReads(project)) {
      if (world.isOver) return;
      await world.many(atOnce, () => world.attack({ path, token }));
    }
  },
});

const ZERO = '0'.repeat(40);

/** Commands of a push as the protocol spells them; the first one names what the client can do. */
const commandLines = (commands) =>
  commands
    .map((command, index) => packetLine(index === 0 ? `${command}\0 report-status` : command))
    .join('');

/**
 * Pushes without git's client, which compares all names with all names before it sends them.
 * @returns the answer, with git's report
 */
function sendPush(world, project, commands, pack) {
  const headers = {
    Authorization: world.mallory.basic,
    'Content-Type': 'application/x-git-receive-pack-request',
  };
  const body = Buffer.concat([Buffer.from(`${commands}0000`), pack]);
  const path = `${project.path}/git-receive-pack`;
  return world.attack({ method: 'POST', path, headers, body });
}

/** A number as packs spell it: seven bits in each byte, the lowest first. */
function sevenBits(value) {
  const bytes = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** The type and size of an object in a pack. */
const packEntry = (type, size) =>
  size < 16
    ? Buffer.from([(type << 4) | size])
    : Buffer.concat([Buffer.from([0x80 | (type << 4) | (size % 16)]), sevenBits(size >> 4)]);

/** A folder, and differences from it, each with another last entry. */
function packOfFolders({ entries, differences }) {
  const entry = (name) => Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.alloc(20, 1)]);
  const names = Array.from({ length: entries }, (_, index) => String(index).padStart(14, '0'));
  const folder = Buffer.concat(names.map(entry));
  const head = Buffer.from(`tree ${folder.length}\0`);
  const base = createHash('sha1').update(head).update(folder).digest();
  const copy = Buffer.from([
    0xf0,
    folder.length % 256,
    (folder.length >> 8) % 256,
    folder.length >> 16,
  ]);
  const parts = [packEntry(2, folder.length), deflateSync(folder)];
  for (let index = 0; index < differences; index += 1) {
    const more = entry(`x${index}`);
    const sizes = [sevenBits(folder.length), sevenBits(folder.length + more.length)];
    const difference = Buffer.concat([...sizes, copy, Buffer.from([more.length]), more]);
    parts.push(packEntry(7, difference.length), base, deflateSync(difference));
  }
  const start = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  start.writeUInt32BE(differences + 1, 8);
  const body = Buffer.concat([start, ...parts]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** Whether the project has more than one branch; also when the list is refused. */
async function mayHaveBranches(world, project) {
  const path = `${project.api}/repository/branches?per_page=2`;
  const { status, text } = await world.quietly({ path });
  return status !== 200 || JSON.parse(text).length > 1;
}

export const OBJECTS = [
  pushed(
    'huge-commit-message',
    'a commit with a message of 300 MB',
    { bytes: 300 * MB, fill: 'a' },
    (random) => ({
      bytes: random.pick([2, 5, 17, 64, 200]) * MB,
      fill: random.pick(['a', '\n', '[', ' ']),
    }),
    (git, { bytes, fill }) => git.import(commit({ message: { bytes, fill }, ...file('a') })),
  ),
  pushed(
    'list-of-large-messages',
    '25 commits of 4 MB each, and lists of them',
    { bytes: 4_190_000, count: 25 },
    (random) => ({ bytes: random.pick([0.1, 0.5, 1, 4]) * MB, count: random.integer(10, 100) }),
    async (git, { bytes, count }) => {
      const parts = function* () {
        for (let index = 0; index < count; index += 1) {
          yield* commit({ message: { bytes, fill: 'a' }, ...file(String(index)) });
        }
      };
      await git.import(parts());
    },
    ['commits?per_page=5', 'commits?per_page=100', 'commits?path=a.txt', 'branches'],
  ),
  pushed(
    'huge-identities',
    'an author name of 5 MB, and commits with huge header lines',
    { kind: 'author', bytes: 5 * MB },
    (random) => ({
      kind: random.pick(['author', 'email', 'signature', 'encoding', 'unknown', 'parents']),
      bytes: random.pick([0.07, 0.5, 2, 5, 20]) * MB,
    }),
    async (git, { kind, bytes }) => {
      const tree = await git.tree([]);
      const long = 'a'.repeat(bytes);
      const lines = {
        author: `author ${long} <a@example.com> 1700000000 +0000\ncommitter ${WHO}\n`,
        email: `author A <${long}@example.com> 1700000000 +0000\ncommitter ${WHO}\n`,
        signature: `author ${WHO}\ncommitter ${WHO}\ngpgsig ${long}\n`,
        encoding: `author ${WHO}\ncommitter ${WHO}\nencoding ${long}\n`,
        unknown: `author ${WHO}\ncommitter ${WHO}\n${'x-header a\n'.repeat(bytes / 11)}`,
        parents: `author ${WHO}\ncommitter ${WHO}\n`,
      };
      const root = await git.commitTree(tree, 'Root');
      const parents = kind === 'parents' ? `parent ${root}\n`.repeat(bytes / 48) : '';
      const text = `tree ${tree}\n${parents}${lines[kind]}\nA message\n`;
      await git.point('refs/heads/master', await git.write('commit', [text]));
    },
  ),
  pushed(
    'huge-tags',
    'annotated tags of 16 MB and chains of tags',
    { bytes: 16 * MB, chain: 1 },
    (random) => ({ bytes: random.pick([0.1, 2, 16, 60]) * MB, chain: random.pick([1, 1, 500]) }),
    async (git, { bytes, chain }) => {
      const hash = await git.commitTree(await git.tree([]));
      await git.point('refs/heads/master', hash);
      let target = { hash, type: 'commit' };
      for (let index = 0; index < chain; index += 1) {
        const message = index === 0 ? 'a'.repeat(bytes) : 'a';
        const text = `object ${target.hash}\ntype ${target.type}\ntag v${index}\ntagger ${WHO}\n\n${message}\n`;
        target = { hash: await git.write('tag', [text]), type: 'tag' };
      }
      await git.point('refs/tags/v1', target.hash);
    },
    ['tags', 'tags/v1', 'branches', 'commits/v1'],
  ),
  pushed(
    'huge-tree',
    'one tree object of 110 MB',
    { entries: 2_600_000 },
    (random) => ({ entries: random.pick([20_000, 200_000, 800_000, 2_000_000]) }),
    async (git, { entries }) => {
      const blob = Buffer.from(await git.write('blob', ['a']), 'hex');
      const parts = function* () {
        for (let first = 0; first < entries; first += 10_000) {
          const lines = [];
          for (let index = first; index < Math.min(first + 10_000, entries); index += 1) {
            const name = String(index).padStart(14, '0');
            lines.push(Buffer.from(`100644 ${name}\0`), blob);
          }
          yield Buffer.concat(lines);
        }
      };
      const tree = await git.write('tree', parts());
      await git.point('refs/heads/master', await git.commitTree(tree));
    },
    [
      'tree',
      'tree?recursive=true',
      'files?file_path=1&ref=master',
      'commits/master/diff',
      'branches',
    ],
  ),
  bomb(
    'tree-of-a-million-files',
    'diffs, lists and histories of six trees that describe a million files',
    { levels: 6, width: 10, atOnce: 2 },
    (random) => ({
      levels: random.integer(4, 30),
      width: random.integer(2, 14),
      atOnce: random.integer(1, 6),
    }),
  ),
  bomb(
    'wide-shared-trees',
    'the same of three trees of 60 entries, of which git names more than it may',
    { levels: 3, width: 60, atOnce: 4 },
    (random) => ({
      levels: 3,
      width: random.integer(40, 100),
      atOnce: random.integer(2, 8),
    }),
  ),
  {
    name: 'merge-request-of-a-million-files',
    about: 'a merge request whose changes are a million files',
    sample: { levels: 6, width: 10 },
    vary: (random) => ({ levels: random.integer(4, 20), width: random.integer(2, 12) }),
    limitMs: 15_000,
    async prepare(world, params) {
      const project = await world.project();
      await treeBomb(project.git, params);
      await world.pushQuietly(project, [
        'refs/heads/empty:refs/heads/master',
        'refs/heads/master:refs/heads/topic',
      ]);
      return project;
    },
    async run(world, _, project) {
      const { token } = world.mallory;
      const body = { source_branch: 'topic', target_branch: 'master', title: 'A request' };
      const path = `${project.api}/merge_requests`;
      const { status, text } = await world.attack({ method: 'POST', path, token, body });
      if (status !== 200) return;
      const request = `${path}/${JSON.parse(text).id}`;
      for (const list of ['changes', 'versions', 'commits']) {
        await world.attack({ path: `${request}/${list}`, token });
      }
      await world.attack({ method: 'PUT', path: `${request}/merge`, token });
    },
  },
  {
    name: 'export-subst',
    about: 'archives whose files expand from 168 KB to 128 MB, sixteen at once',
    sample: { message: 64_000, expansions: 2_000, atOnce: 16, format: 'tar' },
    vary: (random) => ({
      message: random.pick([1_000, 64_000, 900_000]),
      expansions: random.integer(100, 4_000),
      atOnce: random.integer(2, 16),
      format: random.pick(['tar', 'tar.gz', 'tar.bz2', 'zip']),
    }),
    async prepare(world, { message, expansions }) {
      const project = await world.project();
      const files = {
        '.gitattributes': '* export-subst\n',
        'a.txt': `$Format:${'%B'}$\n`.repeat(expansions),
      };
      await project.git.import(commit({ message: 'a'.repeat(message), files }));
      await world.pushQuietly(project);
      return project;
    },
    async run(world, { atOnce, format }, project) {
      const path = `${project.api}/repository/archive.${format}`;
      const { token } = world.mallory;
      await world.many(atOnce, () => world.attack({ path, token }));
    },
  },
  {
    name: 'archives-of-bombs',
    about: 'archives of trees that describe ten billion files, all formats',
    sample: { levels: 10, width: 10 },
    vary: (random) => ({ levels: random.integer(5, 40), width: random.integer(2, 12) }),
    async prepare(world, params) {
      const project = await world.project();
      await treeBomb(project.git, params);
      await world.pushQuietly(project);
      return project;
    },
    async run(world, _, project) {
      const { token } = world.mallory;
      const formats = ['tar', 'tar.gz', 'tar.bz2', 'zip'];
      await Promise.all(
        formats.map(async (format) => {
          const path = `${project.api}/repository/archive.${format}`;
          const connection = world.hold();
          connection.write(request(path, token));
          connection.socket.on('data', () => undefined);
        }),
      );
      await world.untilOver();
    },
  },
  {
    name: 'deep-tree',
    about: 'a tree of 5,000 levels, its archives and lists',
    sample: { levels: 5_000 },
    vary: (random) => ({ levels: random.integer(200, 20_000) }),
    async prepare(world, params) {
      const project = await world.project();
      await deepTree(project.git, params);
      await world.pushQuietly(project);
      return project;
    },
    async run(world, _, project) {
      await readLists(world, project, [
        ...['archive.tar.gz', 'archive.zip', 'archive.tar', 'archive.tar.bz2'],
        ...['tree?recursive=true', 'commits/master/diff', 'commits?path=d/d/d'],
      ]);
    },
  },
  pushed(
    'long-file-names',
    'a file whose name has 2 MB, in diffs and lists',
    { bytes: 2 * MB },
    (random) => ({ bytes: random.pick([0.005, 0.1, 0.6, 2, 8]) * MB }),
    async (git, { bytes }) => {
      const blob = Buffer.from(await git.write('blob', ['a']), 'hex');
      const tree = await git.write('tree', [`100644 ${'n'.repeat(bytes)}\0`, blob]);
      await git.point('refs/heads/master', await git.commitTree(tree));
    },
    ['commits/master', 'commits/master/diff', 'tree', 'tree?recursive=true', 'archive.tar.gz'],
  ),
  {
    name: 'blob-of-zeros',
    about: 'a blob of 300 MB of zeros is pushed and read in every way',
    sample: { bytes: 300 * MB, fill: '\0' },
    vary: (random) => ({
      bytes: random.pick([20, 60, 150, 300]) * MB,
      fill: random.pick(['\0', 'a', '\n', 'a\n']),
    }),
    limitMs: 30_000,
    async prepare(world, { bytes, fill }) {
      const project = await world.project();
      await project.git.import(commit({ message: 'Zeros', ...file({ bytes, fill }) }));
      return project;
    },
    async run(world, _, project) {
      if (!(await world.push(project))) return;
      await readLists(world, project, [
        ...['files?file_path=a.txt&ref=master', 'commits/master/diff', 'archive.zip'],
        ...['commits/master/blob?filepath=a.txt', 'commits?path=a.txt', 'archive.tar.bz2'],
      ]);
    },
  },
  {
    name: 'deep-history',
    about: 'paths and contributors of a history of 30,000 commits, eight readers',
    sample: { commits: 30_000, readers: 8 },
    vary: (random) => ({ commits: random.integer(2_000, 40_000), readers: random.integer(2, 16) }),
    async prepare(world, { commits }) {
      const project = await world.project();
      const parts = function* () {
        for (let index = 0; index < commits; index += 1) {
          const path = `d${index % 97}/f${index % 1009}.txt`;
          const author = `A${index} <a${index}@example.com> 1700000000 +0000`;
          yield* commit({ message: `C${index}`, author, files: { [path]: `${index}` } });
        }
        yield* commit({ ref: 'refs/heads/unrelated', message: 'Other root', ...file('b') });
      };
      await project.git.import(parts());
      await world.pushQuietly(project);
      return project;
    },
    async run(world, { readers }, project) {
      const { token } = world.mallory;
      const paths = [
        'commits?path=no/such/path',
        'commits?path=d1/f1.txt&page=400',
        'commits?page=100000&per_page=100',
        'commits?since=1970-01-01&until=2000-01-01',
        'contributors',
        'compare?from=unrelated&to=master',
        'compare?from=master&to=unrelated',
        'tree?per_page=100&page=9999999',
      ];
      await world.many(readers, (reader) =>
        world.repeat(6, (index) => {
          const path = `${project.api}/repository/${paths[(reader + index) % paths.length]}`;
          return world.attack({ path, token });
        }),
      );
    },
  },
  {
    name: 'many-refs',
    about: 'pushes with as many refs of odd names as one may have, and the lists of them',
    sample: { refs: 9_999, odd: true },
    vary: (random) => ({ refs: random.integer(500, 9_999), odd: random.chance(0.5) }),
    // git writes and syncs each ref by itself.
    limitMs: 90_000,
    async prepare(world, { refs, odd }) {
      const project = await world.project();
      const { git } = project;
      await git.import(commit({ message: 'First', ...file('a') }));
      const hash = (await git.must(['rev-parse', 'refs/heads/master'])).trim();
      const names = Array.from({ length: refs }, (_, index) => {
        const kind = index % 2 === 0 ? 'heads' : 'tags';
        return `refs/${kind}/${odd ? `${'a/'.repeat(index % 40)}ü-${index}(+)` : `n${index}`}`;
      });
      const creations = ['refs/heads/master', ...names].map((ref) => `${ZERO} ${hash} ${ref}`);
      return { project, commands: commandLines(creations), pack: await git.pack() };
    },
    async run(world, _, { project, commands, pack }) {
      const { text } = await sendPush(world, project, commands, pack);
      const isAccepted = text.startsWith('000eunpack ok\n') && !/^[0-9a-f]{4}ng /m.test(text);
      world.note(`push: ${isAccepted ? 'accepted' : 'refused'}`, isAccepted);
      if (!isAccepted) return;
      const { token } = world.mallory;
      await readLists(world, project, ['branches', 'tags', 'branches?page=100000', 'commits']);
      const path = `${project.api}/repository/merged_branches`;
      await world.attack({ method: 'DELETE', path, token });
      // A job deletes them, and its memory counts to this attack.
      while (!world.isOver && (await mayHaveBranches(world, project))) await delay(500);
    },
  },
  {
    name: 'odd-ref-names',
    about: 'pushes that make refs/heads/HEAD, refs/heads/-x and others that mislead',
    sample: { names: ['HEAD', '-x', '--help', 'refs/heads/master', '@', 'a'.repeat(240)] },
    vary: (random) => ({
      names: Array.from({ length: 12 }, () =>
        random
          .pick(['-', '--output=', 'HEAD', 'FETCH_HEAD', '@', '%00', 'ﷺ', '"', "'", '$(', ';', '|'])
          .concat(random.pick(['', 'a', '/a', 'x'.repeat(200)])),
      ),
    }),
    async prepare(world, { names }) {
      const project = await world.project();
      const { git } = project;
      const hash = await git.commitTree(await git.tree([]));
      await git.point('refs/heads/master', hash);
      return { project, hash, refs: names.map((name) => `${hash}:refs/heads/${name}`) };
    },
    async run(world, _, { project, hash, refs }) {
      await world.push(project, [`${hash}:refs/heads/master`]);
      for (const ref of refs) await world.push(project, [ref]);
      await readLists(world, project, ['branches', 'commits?ref_name=-x', 'tree?ref_name=HEAD']);
    },
  },
  {
    name: 'broken-objects',
    about: 'packs of delta chains, truncated packs and unknown commands',
    sample: { kind: 'truncated', count: 12 },
    vary: (random) => ({
      kind: random.pick(['truncated', 'zeros', 'many objects', 'commands']),
      count: random.integer(4, 40),
    }),
    async run(world, { kind, count }, project) {
      const command = commandLines([`${ZERO} ${'1'.repeat(40)} refs/heads/x`]);
      const packs = {
        truncated: Buffer.from('PACK\0\0\0\x02\0\0\0\x01'),
        zeros: Buffer.alloc(MB),
        'many objects': Buffer.from('PACK\0\0\0\x02\x7f\xff\xff\xff', 'latin1'),
        commands: Buffer.alloc(0),
      };
      const commands = kind === 'commands' ? command.repeat(50_000) : command;
      await world.many(count, () => sendPush(world, project, commands, packs[kind]));
    },
    prepare: (world) => world.project(),
  },
  {
    name: 'pushes-to-deleted-projects',
    about: 'pushes and reads of projects that are deleted meanwhile',
    sample: { projects: 12, commits: 200, mostMs: 400 },
    vary: (random) => ({
      projects: random.integer(4, 20),
      commits: random.integer(1, 2_000),
      mostMs: random.integer(50, 1_500),
    }),
    limitMs: 30_000,
    async prepare(world, { projects, commits }) {
      return world.many(projects, async () => {
        const project = await world.project();
        const { git } = project;
        await git.import(commit({ message: 'First', ...file('a') }));
        await world.pushQuietly(project);
        const first = (await git.must(['rev-parse', 'refs/heads/master'])).trim();
        const parts = function* () {
          for (let index = 0; index < commits; index += 1) {
            const from = index === 0 ? first : undefined;
            yield* commit({ from, message: `Closes #${index}`, ...file(String(index)) });
          }
        };
        await git.import(parts());
        return project;
      });
    },
    async run(world, { mostMs }, projects) {
      const { token } = world.mallory;
      const reads = ['commits', 'commits/master/diff', 'compare?from=master~1&to=master', 'tree'];
      await Promise.all(
        projects.map(async ({ api }, index) => {
          const pushing = world.push(projects[index], ['refs/heads/master']);
          await delay(world.random.integer(0, mostMs));
          await Promise.all([
            world.attack({ method: 'DELETE', path: api, token }),
            ...reads.map((read) => world.attack({ path: `${api}/repository/${read}`, token })),
          ]);
          await pushing;
        }),
      );
    },
  },
  {
    name: 'files-as-differences',
    about: 'downloads, archives and clones of a file of 150 MB that is stored as a difference',
    sample: { bytes: 150 * MB, readers: 8 },
    vary: (random) => ({
      bytes: random.pick([20, 80, 150]) * MB,
      readers: random.integer(4, 16),
    }),
    limitMs: 40_000,
    async prepare(world, { bytes }) {
      const project = await world.project({ isPublic: true });
      const parts = function* () {
        for (const end of ['', 'a']) {
          const content = Buffer.concat([Buffer.alloc(bytes), Buffer.from(end)]);
          yield* commit({ message: 'A version', files: { 'a.bin': content } });
        }
      };
      await project.git.import(parts());
      // The older version becomes a difference to the newer one.
      await project.git.must(['repack', '-adfq', '--window=2', '--threads=1']);
      await world.pushQuietly(project);
      return { project, hash: (await project.git.must(['rev-parse', 'master'])).trim() };
    },
    async run(world, { readers }, { project: { api, path }, hash }) {
      const { token } = world.mallory;
      const reads = [
        ...['blobs/master~1?filepath=a.bin', 'archive.tar?sha=master~1'],
        'archive.tar.gz?sha=master~1',
      ];
      for (const read of reads) {
        await world.many(readers, () =>
          world.attack({ path: `${api}/repository/${read}`, token, keptBytes: 1_000 }),
        );
      }
      const body = `${packetLine(`want ${hash} side-band-64k\n`)}0000${packetLine('done\n')}`;
      const headers = { 'Content-Type': 'application/x-git-upload-pack-request' };
      await world.many(readers, () =>
        world.attack({ method: 'POST', path: `${path}/git-upload-pack`, headers, body }),
      );
    },
  },
  {
    name: 'differences-of-large-folders',
    about: 'a pack of small differences that make hundreds of folders of 10 MB',
    sample: { entries: 250_000, differences: 300, pushes: 2 },
    vary: (random) => ({
      entries: random.pick([20_000, 100_000, 250_000]),
      differences: random.integer(100, 400),
      pushes: random.integer(1, 3),
    }),
    // git makes each folder once, and refuses the push then.
    limitMs: 60_000,
    async prepare(world, params) {
      return { project: await world.project(), pack: packOfFolders(params) };
    },
    async run(world, { pushes }, { project, pack }) {
      const commands = commandLines([`${ZERO} ${'1'.repeat(40)} refs/heads/x`]);
      await world.many(pushes, () => sendPush(world, project, commands, pack));
    },
  },
  {
    name: 'delta-bomb',
    about: 'a pack of deltas that make large blobs of small ones',
    sample: { blobs: 200, bytes: 2 * MB },
    vary: (random) => ({
      blobs: random.integer(50, 1_000),
      bytes: random.pick([0.5, 2, 8]) * MB,
    }),
    limitMs: 20_000,
    async prepare(world, { blobs, bytes }) {
      const project = await world.project();
      const size = Math.min(bytes, (600 * MB) / blobs);
      const filler = 'a'.repeat(size);
      const parts = function* () {
        for (let index = 0; index < blobs; index += 1) {
          yield 'blob\n';
          yield `mark :${index + 1}\n`;
          yield* data(`${filler}${index}`);
        }
        yield `commit refs/heads/master\ncommitter ${WHO}\n`;
        yield* data('Blobs');
        for (let index = 0; index < blobs; index += 1) yield `M 100644 :${index + 1} f${index}\n`;
        yield '\n';
      };
      await project.git.import(parts());
      return project;
    },
    async run(world, _, project) {
      if (!(await world.push(project))) return;
      await readLists(world, project, ['commits/master/diff', 'archive.tar.gz', 'archive.zip']);
    },
  },
];

const request = (path, token) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nPRIVATE-TOKEN: ${token}\r\nConnection: close\r\n\r\n`;
