// Connections that hold what they were given: downloads nobody reads, conversations nobody ends.
import ssh2 from 'ssh2';
import { commit, packetLine } from '../git-client.mjs';
import { head } from '../http-client.mjs';

const MB = 1_000_000;

async function projectWithFile(world, bytes) {
  const project = await world.project({ isPublic: true });
  // Half of it does not compress: small ones would fit into the buffers of a socket.
  const content = Buffer.concat([world.random.bytes(bytes / 2), Buffer.alloc(bytes / 2, 'a')]);
  const files = { 'a.bin': content };
  for (let index = 0; index < 100; index += 1) files[`d/f${index}`] = `${index}`;
  await project.git.import(commit({ message: 'First', files }));
  await world.pushQuietly(project);
  const blob = (await project.git.must(['rev-parse', 'master:a.bin'])).trim();
  const hash = (await project.git.must(['rev-parse', 'master'])).trim();
  return { project, blob, hash };
}

const FILES_IN_FOLDER = 1_000;

async function projectOfManyFiles(world, files) {
  const project = await world.project({ isPublic: true });
  const parts = function* () {
    yield 'commit refs/heads/master\ncommitter M <m@example.com> 1700000000 +0000\ndata 5\nFirst\n';
    for (let index = 0; index < files; index += 1) {
      const folder = Math.floor(index / FILES_IN_FOLDER);
      const text = String(index);
      yield `M 100644 inline d${folder}/f${index}\ndata ${text.length}\n${text}\n`;
    }
  };
  await project.git.import(parts());
  await world.pushQuietly(project);
  return { project, hash: (await project.git.must(['rev-parse', 'master'])).trim() };
}

const WAYS = {
  blob: ({ project }) => `${project.api}/repository/commits/master/blob?filepath=a.bin`,
  raw: ({ project, blob }) => `${project.api}/repository/raw_blobs/${blob}`,
  file: ({ project }) => `${project.api}/repository/files?file_path=a.bin&ref=master`,
  'tar.gz': ({ project }) => `${project.api}/repository/archive.tar.gz`,
  'tar.bz2': ({ project }) => `${project.api}/repository/archive.tar.bz2`,
  zip: ({ project }) => `${project.api}/repository/archive.zip`,
};

const uploadPack = (world, project, body, extra = {}, isAnonymous = false) => ({
  method: 'POST',
  path: `${project.path}/git-upload-pack`,
  headers: {
    'Content-Type': 'application/x-git-upload-pack-request',
    ...(isAnonymous ? {} : { Authorization: world.mallory.basic }),
    ...extra,
  },
  body,
});

/** What is sent over a connection before it rests. */
const BEGINNINGS = {
  nothing: '',
  'half a head': 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: ',
  'a request': head('GET', '/healthz'),
  'a request and a half': `${head('GET', '/healthz')}GET /`,
};

/** What precedes the pack of a push. */
function beginningOf(kind, count, hash) {
  const zero = '0'.repeat(40);
  const asked = 'report-status side-band-64k push-options';
  const command = (ref, capabilities = '') =>
    packetLine(`${zero} ${hash} ${ref}${capabilities && `\0${capabilities}`}\n`);
  const list = (prefix) =>
    Array.from({ length: count }, (_, at) =>
      command(`${prefix}/${at}`, at === 0 ? 'report-status side-band-64k' : ''),
    ).join('');
  const one = command('refs/heads/one', asked);
  switch (kind) {
    case 'refs':
      return `${list('refs/heads')}0000`;
    case 'reserved':
      return `${list('refs/pull')}0000`;
    case 'options':
      return `${one}0000${packetLine('o'.repeat(1_000)).repeat(count / 4)}0000`;
    case 'boundaries':
      return `${packetLine(`shallow ${hash}`).repeat(count)}${one}00000000`;
    default: {
      const lines = packetLine(`${'c'.repeat(1_000)}\n`).repeat(count / 10);
      return `${packetLine(`push-cert\0${asked}\n`)}${lines}${packetLine('push-cert-end\n')}00000000`;
    }
  }
}

export const STREAMS = [
  {
    name: 'idle-http-connections',
    about: '15,000 connections that send nothing',
    sample: { count: 15_000, beginning: 'nothing' },
    vary: (random) => ({
      count: random.pick([2_000, 6_000, 15_000]),
      beginning: random.pick(Object.keys(BEGINNINGS)),
    }),
    async run(world, { count, beginning }) {
      await world.repeat(count / 100, async () => {
        for (let index = 0; index < 100; index += 1) world.hold().write(BEGINNINGS[beginning]);
        await new Promise((resolve) => setTimeout(resolve, 20));
      });
      await world.untilOver();
    },
  },
  {
    name: 'unread-downloads',
    about: 'sixteen downloads of a blob by one user, none of which is read',
    sample: { way: 'blob', count: 16, bytes: 48 * MB },
    vary: (random) => ({
      way: random.pick(Object.keys(WAYS)),
      count: random.integer(16, 64),
      bytes: random.pick([8, 24, 64]) * MB,
    }),
    prepare: (world, { bytes }) => projectWithFile(world, bytes),
    async run(world, { way, count }, made) {
      const path = WAYS[way](made);
      const headers = { 'PRIVATE-TOKEN': world.mallory.token };
      for (let index = 0; index < count; index += 1) {
        world.hold().write(head('GET', path, headers));
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      // What another user gets meanwhile.
      const { token } = world.users.mate;
      for (const other of ['zip', 'blob', 'tar.gz']) {
        await world.attack({ path: WAYS[other](made), token, from: '127.0.0.9' });
      }
      await world.untilOver();
    },
  },
  {
    name: 'half-open-fetches',
    about: 'eighty git-upload-pack posts without an end, anonymous',
    sample: { count: 80, isAnonymous: true, said: 'nothing' },
    vary: (random) => ({
      count: random.integer(40, 120),
      isAnonymous: random.chance(0.5),
      said: random.pick(['nothing', 'want', 'haves']),
    }),
    prepare: (world) => projectWithFile(world, MB),
    async run(world, { count, isAnonymous, said }, { project, hash }) {
      const want = packetLine(`want ${hash}\n`);
      const have = packetLine(`have ${'1'.repeat(40)}\n`);
      const texts = { nothing: '', want, haves: `${want}0000${have.repeat(50)}` };
      const headers = {
        'Content-Type': 'application/x-git-upload-pack-request',
        'Content-Length': 10 * MB,
        ...(isAnonymous ? {} : { Authorization: world.mallory.basic }),
      };
      for (let index = 0; index < count; index += 1) {
        const connection = world.hold();
        connection.write(head('POST', `${project.path}/git-upload-pack`, headers));
        connection.write(texts[said]);
      }
      await world.untilOver();
    },
  },
  {
    name: 'unread-clones',
    about: 'clones of which nothing is read',
    sample: { count: 32, bytes: 32 * MB },
    vary: (random) => ({ count: random.integer(8, 64), bytes: random.pick([8, 32, 64]) * MB }),
    prepare: (world, { bytes }) => projectWithFile(world, bytes),
    async run(world, { count }, { project, hash }) {
      const body = `${packetLine(`want ${hash}\n`)}0000${packetLine('done\n')}`;
      const headers = {
        Authorization: world.mallory.basic,
        'Content-Type': 'application/x-git-upload-pack-request',
        'Content-Length': body.length,
      };
      for (let index = 0; index < count; index += 1) {
        const connection = world.hold();
        connection.write(head('POST', `${project.path}/git-upload-pack`, headers) + body);
      }
      await world.untilOver();
    },
  },
  {
    name: 'unread-clones-of-many-objects',
    about: 'clones of 600,000 files of which nothing is read, by two users and anonymous',
    sample: { count: 64, files: 600_000 },
    vary: (random) => ({
      count: random.integer(16, 64),
      files: random.pick([50_000, 200_000, 600_000]),
    }),
    // Further clones wait for the memory of those that have begun.
    limitMs: 40_000,
    prepare: (world, { files }) => projectOfManyFiles(world, files),
    async run(world, { count }, { project, hash }) {
      const body = `${packetLine(`want ${hash} side-band-64k\n`)}0000${packetLine('done\n')}`;
      const callers = [world.mallory.basic, world.users.mate.basic, undefined];
      for (let index = 0; index < count; index += 1) {
        const Authorization = callers[index % callers.length];
        const connection = world.hold();
        connection.write(
          head('POST', `${project.path}/git-upload-pack`, {
            ...(Authorization && { Authorization }),
            'Content-Type': 'application/x-git-upload-pack-request',
            'Content-Length': body.length,
          }) + body,
        );
      }
      await world.untilOver();
    },
  },
  {
    name: 'want-lists',
    about: 'fetches with 100,000 wants, and with haves that are not there',
    sample: { wants: 100_000, haves: 0, count: 8 },
    vary: (random) => ({
      wants: random.pick([1, 1_000, 50_000, 200_000]),
      haves: random.pick([0, 10_000, 200_000]),
      count: random.integer(2, 16),
    }),
    prepare: (world) => projectWithFile(world, MB),
    async run(world, { wants, haves, count }, { project, hash }) {
      const body = [
        packetLine(`want ${hash}\n`).repeat(wants),
        '0000',
        packetLine(`have ${'1'.repeat(40)}\n`).repeat(haves),
        packetLine('done\n'),
      ].join('');
      await world.many(count, () => world.attack(uploadPack(world, project, body)));
    },
  },
  {
    name: 'ref-prefixes',
    about:
      'anonymous requests for the refs of a project of 9,900 tags, narrowed by 60,000 prefixes',
    sample: { prefixes: 60_000, count: 8 },
    vary: (random) => ({
      prefixes: random.pick([1_000, 4_096, 60_000, 500_000]),
      count: random.integer(2, 16),
    }),
    async prepare(world) {
      const stage = await projectWithFile(world, MB);
      const { git } = stage.project;
      const tag = (at) => `create refs/tags/t${at} ${stage.hash}\n`;
      await git.must(['update-ref', '--stdin'], [...Array(9_900).keys()].map(tag));
      await world.pushQuietly(stage.project);
      return stage;
    },
    async run(world, { prefixes, count }, { project }) {
      const list = Array.from({ length: prefixes }, (_, at) => packetLine(`ref-prefix r${at}\n`));
      const body = `${packetLine('command=ls-refs\n')}0001${list.join('')}0000`;
      const request = uploadPack(world, project, body, { 'Git-Protocol': 'version=2' }, true);
      await world.many(count, () => world.attack(request));
    },
  },
  {
    name: 'push-beginnings',
    about: 'pushes of very many refs, options, boundaries and certificates before their packs',
    sample: { kind: 'refs', count: 600_000, pushes: 4 },
    vary: (random) => ({
      kind: random.pick(['refs', 'reserved', 'options', 'boundaries', 'certificate']),
      count: random.pick([1, 5_000, 50_000, 400_000]),
      pushes: random.integer(1, 8),
    }),
    prepare: (world) => projectWithFile(world, MB),
    async run(world, { kind, count, pushes }, { project, hash }) {
      const body = beginningOf(kind, count, hash);
      const headers = {
        'Content-Type': 'application/x-git-receive-pack-request',
        Authorization: world.mallory.basic,
      };
      const path = `${project.path}/git-receive-pack`;
      await world.many(pushes, () => world.attack({ method: 'POST', path, headers, body }));
    },
  },
  {
    name: 'unanswered-haves',
    about: 'anonymous fetches of megabytes of haves without an end',
    sample: { haves: 1_000_000, version: 2, count: 4 },
    vary: (random) => ({
      haves: random.pick([100_000, 600_000, 2_000_000]),
      version: random.pick([0, 2]),
      count: random.integer(1, 8),
    }),
    prepare: (world) => projectWithFile(world, MB),
    async run(world, { haves, version, count }, { project, hash }) {
      const list = packetLine(`have ${'1'.repeat(40)}\n`).repeat(haves);
      const want = packetLine(`want ${hash}\n`);
      const body =
        version === 2
          ? `${packetLine('command=fetch')}0001${want}${list}0000`
          : `${want}0000${list}${packetLine('done\n')}`;
      const extra = { 'Git-Protocol': `version=${version}` };
      const request = uploadPack(world, project, body, extra, true);
      await world.many(count, () => world.attack(request));
    },
  },
  {
    name: 'clone-filters',
    about: 'partial clones with filters of every kind',
    sample: { filters: ['sparse:oid=master', 'combine:blob:none+tree:3', 'tree:100'] },
    vary: (random) => ({
      filters: Array.from({ length: 6 }, () =>
        random.pick([
          ...[
            'blob:none',
            'blob:limit=1',
            'tree:0',
            'tree:1000',
            'object:type=blob',
            'sparse:path=a',
          ],
          ...[
            'sparse:oid=master:a.bin',
            'combine:tree:1+blob:none',
            `combine:${'tree:1+'.repeat(500)}tree:0`,
          ],
        ]),
      ),
    }),
    prepare: (world) => projectWithFile(world, MB),
    async run(world, { filters }, { project, hash }) {
      const version = { 'Git-Protocol': 'version=2' };
      const fetch = (filter) =>
        [
          packetLine('command=fetch'),
          '0001',
          packetLine(`filter ${filter}`),
          packetLine(`want ${hash}`),
          packetLine('done'),
          '0000',
        ].join('');
      await world.many(24, (index) => {
        const filter = filters[index % filters.length];
        return world.attack(uploadPack(world, project, fetch(filter), version));
      });
    },
  },
  {
    name: 'pipelined-requests',
    about: 'pipelined GETs on sixteen connections, of which nothing is read',
    sample: { connections: 16, requests: 2_000, path: '/api/v3/projects' },
    vary: (random) => ({
      connections: random.integer(8, 32),
      requests: random.integer(100, 4_000),
      path: random.pick(['/api/v3/projects', '/api/v3/user', '/healthz', '/api/v3/none', 'refs']),
    }),
    prepare: (world) => projectWithFile(world, MB),
    async run(world, { connections, requests, path }, { project }) {
      const refs = `${project.path}/info/refs?service=git-upload-pack`;
      const one = head('GET', path === 'refs' ? refs : path, {
        'PRIVATE-TOKEN': world.mallory.token,
      });
      for (let index = 0; index < connections; index += 1) {
        world.hold().write(one.repeat(requests));
      }
      await world.untilOver();
    },
  },
  {
    name: 'idle-connections',
    about: 'connections that send nothing, or headers without an end',
    sample: { count: 400, said: 'GET / HTTP/1.1\r\nHost: a\r\n' },
    vary: (random) => ({
      count: random.integer(100, 800),
      said: random.pick(['', 'GET / HTTP/1.1\r\nHost: a\r\n', 'GET', `GET /${'a'.repeat(15_000)}`]),
    }),
    async run(world, { count, said }) {
      for (let index = 0; index < count; index += 1) world.hold().write(said);
      await world.untilOver();
    },
  },
  {
    name: 'attachments',
    about: 'thirty attachments of 9 MB at once',
    sample: { count: 30, bytes: 9 * MB },
    vary: (random) => ({ count: random.integer(8, 60), bytes: random.pick([1, 9, 30]) * MB }),
    prepare: (world) => world.project(),
    async run(world, { count, bytes }, project) {
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
      const name = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
      const content = world.random.bytes(bytes);
      const body = Buffer.concat([
        Buffer.from(`--b\r\n${name}\r\n\r\n`),
        content,
        Buffer.from('\r\n--b--\r\n'),
      ]);
      const path = `${project.api}/uploads`;
      const { token } = world.mallory;
      await world.many(count, () => world.attack({ method: 'POST', path, token, headers, body }));
    },
  },
  {
    name: 'ssh-conversations',
    about: 'forty conversations over SSH on which nothing more is said or read',
    sample: { connections: 10, channels: 4, command: 'git-upload-pack' },
    vary: (random) => ({
      connections: random.integer(4, 20),
      channels: random.integer(1, 10),
      command: random.pick(['git-upload-pack', 'git-receive-pack', 'git-upload-archive', 'cat']),
    }),
    async prepare(world) {
      const { project } = await projectWithFile(world, MB);
      return { path: project.path.slice(1), privateKey: await world.sshKey() };
    },
    async run(world, { connections, channels, command }, { path, privateKey }) {
      const clients = [];
      for (let index = 0; index < connections; index += 1) {
        const client = new ssh2.Client();
        clients.push(client);
        client.on('error', ({ message }) => world.note(`ssh: ${message}`, true));
        client.once('ready', () => {
          for (let channel = 0; channel < channels; channel += 1) {
            client.exec(`${command} '${path}'`, (error, stream) => {
              world.note(error ? `ssh: ${error.message}` : 'ssh: begun', true);
              stream?.stderr.on('data', (text) => world.note(`ssh: ${firstLineOf(text)}`, true));
            });
          }
        });
        const [host, port] = ['127.0.0.1', world.sshPort];
        client.connect({ host, port, localAddress: '127.0.0.2', username: 'git', privateKey });
      }
      await world.untilOver();
      for (const client of clients) client.destroy();
    },
  },
];

const firstLineOf = (text) => text.toString().trim().split('\n', 1)[0];
