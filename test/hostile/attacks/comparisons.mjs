// What git takes long to compare, and the slots that its processes and imports hold meanwhile. Another user works beside, and
// has to be answered soon.
import { createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { commit } from '../git-client.mjs';

/** How long the other user may wait. */
const SOON_MS = 5_000;
const OTHERS_ADDRESS = '127.0.0.9';

/** Lines that files have in common with others in part, so that git cannot tell them apart at once. */
function textOf(seed, lines) {
  let state = seed + 1;
  const line = () => {
    state = (state * 48_271) % 2_147_483_647;
    return `line ${state % 20_000}\n`;
  };
  return Array.from({ length: lines }, line).join('');
}

/** Files on `master` that each branch `theirs-N` renames and changes, and each `ours-N` changes otherwise. */
function* renames({ files, lines, pairs }) {
  const numbers = Array.from({ length: files }, (_, index) => index);
  const texts = numbers.map((number) => textOf(number, lines));
  const asFiles = (nameOf, change) =>
    Object.fromEntries(numbers.map((number) => [nameOf(number), change(texts[number])]));
  const oldName = (number) => `old/${number}.txt`;
  yield* commit({ message: 'First', files: asFiles(oldName, (text) => text) });
  for (let pair = 0; pair < pairs; pair += 1) {
    yield `reset refs/heads/theirs-${pair}\nfrom refs/heads/master\n\n`;
    const newName = (number) => `new/moved-${number}.md`;
    const [head, ...rest] = commit({
      ref: `refs/heads/theirs-${pair}`,
      message: `Theirs ${pair}`,
      files: asFiles(newName, (text) => `${text}last ${pair}\n`),
    });
    const message = rest.splice(0, 3);
    yield* [head, ...message, ...numbers.map((number) => `D ${oldName(number)}\n`), ...rest];
    yield `reset refs/heads/ours-${pair}\nfrom refs/heads/master\n\n`;
    const files = asFiles(oldName, (text) => `first ${pair}\n${text}`);
    yield* commit({ ref: `refs/heads/ours-${pair}`, message: `Ours ${pair}`, files });
  }
}

async function propose(world, { id, api }, fields) {
  const body = { title: 'A request', ...fields };
  const { project_id, id: request } = await world.must({
    method: 'POST',
    path: `${api}/merge_requests`,
    body: { target_project_id: id, ...body },
  });
  return `/api/v3/projects/${project_id}/merge_requests/${request}`;
}

/** A project of the other user with small commits, on top of what attackers rename. */
async function othersProject(world, size = { files: 1, lines: 10 }) {
  const project = await world.project({ owner: world.users.mate, isPublic: true });
  const parts = function* () {
    yield* renames({ ...size, pairs: 0 });
    for (let index = 0; index < 40; index += 1) {
      yield* commit({ message: `C${index}`, files: { 'a.txt': `${index}\n` } });
    }
  };
  await project.git.import(parts());
  await world.pushQuietly(project);
  const hashes = (await project.git.must(['rev-list', 'master'])).trim().split('\n');
  return { ...project, hashes };
}

/** The other user asks for one thing after the other, each of which git has to be asked; notes the longest wait. */
async function workBeside(world, pathOf) {
  const { token } = world.users.mate;
  let longestMs = 0;
  await world.repeat(40, async (index) => {
    const began = performance.now();
    await world.attack({ path: pathOf(index), token, from: OTHERS_ADDRESS });
    longestMs = Math.max(longestMs, performance.now() - began);
    await delay(250);
  });
  noteWait(world, longestMs);
}

function noteWait(world, ms) {
  world.note(`another user waits ${Math.ceil(ms / 1_000)} s`, ms <= SOON_MS);
}

const SIZES = (random) => ({ files: random.integer(50, 900), lines: random.integer(100, 3_000) });

export const COMPARISONS = [
  {
    name: 'slow-merges',
    about: 'merge requests of projects of its own, whose renames take git long, are read at once',
    sample: { files: 390, lines: 2_000, pairs: 5, projects: 2 },
    vary: (random) => ({
      ...SIZES(random),
      pairs: random.integer(2, 8),
      projects: random.integer(1, 3),
    }),
    limitMs: 30_000,
    async prepare(world, { projects, pairs, ...size }) {
      const requests = [];
      for (let count = 0; count < projects; count += 1) {
        const project = await world.project();
        await project.git.import(renames({ ...size, pairs }));
        await world.pushQuietly(project);
        for (let pair = 0; pair < pairs; pair += 1) {
          const branches = { source_branch: `theirs-${pair}`, target_branch: `ours-${pair}` };
          requests.push(await propose(world, project, branches));
        }
      }
      return { requests, other: await othersProject(world) };
    },
    async run(world, _, { requests, other }) {
      const { token } = world.mallory;
      const reads = requests.map((path) => world.repeat(3, () => world.attack({ path, token })));
      const list = (index) => `${other.api}/repository/commits?ref_name=${other.hashes[index]}`;
      await Promise.all([...reads, workBeside(world, list)]);
    },
  },
  {
    name: 'slow-differences',
    about:
      'a merge request of a fork, whose renames take git long, beside small differences of the project',
    sample: { files: 390, lines: 4_000, pairs: 2 },
    vary: (random) => ({ ...SIZES(random), pairs: random.integer(1, 3) }),
    limitMs: 30_000,
    async prepare(world, params) {
      const other = await othersProject(world, params);
      const { username, token } = world.mallory;
      const path = `/api/v3/projects/fork/${other.id}`;
      const fork = await world.must({ method: 'POST', path, token });
      const { git } = await world.project();
      await git.import(renames(params));
      await world.pushQuietly({ git, path: `/${username}/${fork.path}.git` }, [
        'refs/heads/theirs-*:refs/heads/theirs-*',
      ]);
      return { other, fork: { id: other.id, api: `/api/v3/projects/${fork.id}` } };
    },
    async run(world, { pairs }, { other, fork }) {
      const { token } = world.mallory;
      const attack = world.many(pairs, async (pair) => {
        const body = {
          title: 'A request',
          source_branch: `theirs-${pair}`,
          target_branch: 'master',
          target_project_id: fork.id,
        };
        const path = `${fork.api}/merge_requests`;
        const { status, text } = await world.attack({ method: 'POST', path, token, body });
        if (status !== 200) return;
        const { id } = JSON.parse(text);
        const changes = `${other.api}/merge_requests/${id}/changes`;
        await world.repeat(3, () => world.attack({ path: changes, token }));
      });
      const small = (index) => `${other.api}/repository/commits/${other.hashes[index]}/diff`;
      await Promise.all([attack, workBeside(world, small)]);
    },
  },
  {
    name: 'held-imports',
    about: 'imports from a server that never answers, beside the import of another user',
    sample: { imports: 12 },
    vary: (random) => ({ imports: random.integer(4, 40) }),
    limitMs: 30_000,
    async prepare(world) {
      const server = createServer((socket) => socket.on('error', () => undefined));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return { other: await othersProject(world), port: server.address().port };
    },
    async run(world, { imports }, { other, port }) {
      const create = (token, name, import_url) =>
        world.attack({
          method: 'POST',
          path: '/api/v3/projects',
          token,
          body: { name: `${name}-${world.random.integer(0, 2 ** 31)}`, import_url },
        });
      await world.many(imports, (index) =>
        create(world.mallory.token, `held-${index}`, `http://127.0.0.1:${port}/held.git`),
      );
      const { token } = world.users.mate;
      const { status, text } = await create(token, 'import', `${world.url}${other.path}`);
      if (status !== 200) return;
      const began = performance.now();
      const path = `/api/v3/projects/${JSON.parse(text).id}/import`;
      let importStatus;
      while (importStatus !== 'finished' && performance.now() - began < 4 * SOON_MS) {
        ({ import_status: importStatus } = await world.must({ path, token }));
        await delay(250);
      }
      noteWait(world, performance.now() - began);
    },
  },
];
