// Texts: descriptions, notes and messages whose references are looked for.
import { hostileText, repeated } from '../hostile-text.mjs';
import { commit } from '../git-client.mjs';

const LIMIT = 100_000;
const MIB = 1024 * 1024;

/** 100 commits with hostile messages, on a branch of their own. */
async function commitsOf(project, messages) {
  const parts = function* () {
    yield* commit({ message: 'First', files: { 'a.txt': 'a\n' } });
    for (const [index, message] of messages.entries()) {
      const from = index === 0 ? 'refs/heads/master' : undefined;
      yield* commit({ ref: 'refs/heads/topic', message, from, files: { 'b.txt': `${index}\n` } });
    }
  };
  await project.git.import(parts());
}

const sampleMessages = { unit: '![', length: LIMIT, count: 100 };
const varyMessages = (random) => ({
  count: random.integer(10, 100),
  length: random.pick([5_000, 50_000, LIMIT]),
});

/** Texts of one variation: the sample repeats a unit, the others come from the grammar. */
function textsOf(world, { unit, length, count = 1 }) {
  return Array.from({ length: count }, () =>
    unit === undefined ? hostileText(world.random, length) : repeated(unit, length),
  );
}

async function pushedTopic(world, params) {
  const project = await world.project({ isPublic: true });
  await commitsOf(project, textsOf(world, params));
  await world.pushQuietly(project);
  return project;
}

const requestMerge = (project) => ({
  method: 'POST',
  path: `${project.api}/merge_requests`,
  body: { source_branch: 'topic', target_branch: 'master', title: 'A request' },
});

export const TEXTS = [
  {
    name: 'push-of-markup',
    about: '100 commits with the message "![" × 50,000 in one push',
    sample: sampleMessages,
    vary: varyMessages,
    limitMs: 20_000,
    async prepare(world, params) {
      const project = await world.project();
      await commitsOf(project, textsOf(world, params));
      return project;
    },
    async run(world, _, project) {
      await world.push(project, ['refs/heads/master', 'refs/heads/topic']);
      const { token } = world.mallory;
      await world.attack({ path: `${project.api}/repository/commits?ref_name=topic`, token });
    },
  },
  {
    name: 'push-to-default',
    about: 'the same onto the default branch, where messages close issues',
    sample: { ...sampleMessages, unit: '![a](' },
    vary: varyMessages,
    limitMs: 20_000,
    async prepare(world, params) {
      const project = await world.project();
      await commitsOf(project, textsOf(world, params));
      await world.pushQuietly(project, ['refs/heads/master']);
      return project;
    },
    async run(world, _, project) {
      await world.push(project, ['refs/heads/topic:refs/heads/master']);
    },
  },
  {
    name: 'closes-issues',
    about: 'closes_issues of a request of such commits, by a visitor',
    sample: { ...sampleMessages, readers: 1 },
    vary: (random) => ({ ...varyMessages(random), readers: random.integer(1, 8) }),
    async prepare(world, params) {
      const project = await pushedTopic(world, params);
      const { id } = await world.must(requestMerge(project));
      return { project, id };
    },
    async run(world, { readers }, { project, id }) {
      const path = `${project.api}/merge_requests/${id}/closes_issues`;
      const { token } = world.users.mate;
      await world.many(readers, () => world.attack({ path, token }));
    },
  },
  {
    name: 'merge-of-markup',
    about: 'a merge request of such commits is made and accepted',
    sample: sampleMessages,
    vary: varyMessages,
    prepare: pushedTopic,
    async run(world, _, project) {
      const { token } = world.mallory;
      const { status, text } = await world.attack({ ...requestMerge(project), token });
      if (status !== 200) return;
      const path = `${project.api}/merge_requests/${JSON.parse(text).id}/merge`;
      await world.attack({ method: 'PUT', path, token });
    },
  },
  {
    name: 'issue-move',
    about: "an issue with six notes of '<b>#1</b>' × 11,111 moves to another project",
    sample: { unit: '<b>#1</b>', length: LIMIT, count: 6 },
    vary: (random) => ({ length: LIMIT, count: random.integer(4, 20) }),
    async prepare(world, params) {
      const [from, to] = [await world.project(), await world.project()];
      const { id } = await world.issue(from, {});
      for (const body of textsOf(world, params)) {
        const path = `${from.api}/issues/${id}/notes`;
        await world.must({ method: 'POST', path, body: { body } });
      }
      return { path: `${from.api}/issues/${id}/move`, body: { to_project_id: to.id } };
    },
    async run(world, _, { path, body }) {
      await world.attack({ method: 'POST', path, body, token: world.mallory.token });
    },
  },
  {
    name: 'rendered-texts',
    about: 'texts of 1 MB of "![" are rendered as HTML',
    sample: { unit: '![', length: MIB, count: 8 },
    vary: (random) => ({
      length: random.pick([LIMIT, MIB / 4, MIB]),
      count: random.integer(2, 16),
    }),
    limitMs: 60_000,
    prepare: (world, params) => textsOf(world, params),
    async run(world, _, texts) {
      const { token } = world.mallory;
      const ask = (text) =>
        world.attack({
          method: 'POST',
          path: '/api/v4/markdown',
          body: { text, gfm: true },
          token,
        });
      await Promise.all(texts.map(ask));
    },
  },
  {
    name: 'issue-texts',
    about: 'issues with descriptions of 1 MB of "["',
    sample: { unit: '[', length: MIB - 8, count: 4 },
    vary: (random) => ({ length: random.pick([LIMIT, MIB / 4]), count: random.integer(2, 8) }),
    async prepare(world, params) {
      return { project: await world.project(), texts: textsOf(world, params) };
    },
    async run(world, _, { project, texts }) {
      const { token } = world.mallory;
      const path = `${project.api}/issues`;
      await Promise.all(
        texts.map((description) =>
          world.attack({ method: 'POST', path, token, body: { title: 'An issue', description } }),
        ),
      );
    },
  },
  {
    name: 'note-texts',
    about: 'notes of markup on issues, and changes of them',
    sample: { unit: '> ', length: LIMIT, count: 8 },
    vary: (random) => ({
      length: random.pick([20_000, LIMIT, MIB / 4]),
      count: random.integer(4, 12),
    }),
    async prepare(world, params) {
      const project = await world.project();
      const { id } = await world.issue(project, {});
      return { path: `${project.api}/issues/${id}/notes`, texts: textsOf(world, params) };
    },
    async run(world, _, { path, texts }) {
      const { token } = world.mallory;
      const write = async (body) => {
        const { status, text } = await world.attack({
          method: 'POST',
          path,
          token,
          body: { body },
          // The answer repeats the note, whose ID is needed.
          keptBytes: 4 * MIB,
        });
        if (status !== 200) return;
        const changed = { body: `${body} @mate` };
        const note = `${path}/${JSON.parse(text).id}`;
        await world.attack({ method: 'PUT', path: note, token, body: changed });
      };
      await Promise.all(texts.map(write));
    },
  },
  {
    name: 'mentions-and-references',
    about: 'a description that mentions 10,000 users and refers to 10,000 issues',
    sample: { mentions: 10_000, references: 10_000, isPlain: true },
    vary: (random) => ({
      mentions: random.integer(0, 12_000),
      references: random.integer(0, 12_000),
      isPlain: random.chance(0.5),
    }),
    prepare: async (world) => ({ project: await world.project() }),
    async run(world, { mentions, references, isPlain }, { project }) {
      const user = (_, i) => (isPlain ? `@user${i}` : `@mate`);
      const issue = (_, i) => (isPlain ? `#${i}` : `mallory/other-${i}#${i}, closes !${i}`);
      const words = [
        ...Array.from({ length: mentions }, user),
        ...Array.from({ length: references }, issue),
      ];
      const { token } = world.mallory;
      const body = { title: 'An issue', description: words.join(' ') };
      const path = `${project.api}/issues`;
      await world.many(4, () => world.attack({ method: 'POST', path, token, body }));
    },
  },
  {
    name: 'commit-messages-by-api',
    about: 'POST files with a commit message of 5 MB, and the lists that show it',
    sample: { bytes: 5_000_000, unit: 'a' },
    vary: (random) => ({
      bytes: random.pick([60_000, 900_000, 5_000_000, 19_000_000]),
      unit: random.pick(['a', '![', '\n', '#1 ', '@mate ']),
    }),
    prepare: async (world) => ({ project: await world.project() }),
    async run(world, { bytes, unit }, { project }) {
      const { token } = world.mallory;
      const path = `${project.api}/repository`;
      const body = {
        file_path: 'a.txt',
        branch_name: 'master',
        content: 'a',
        commit_message: repeated(unit, bytes),
      };
      await world.attack({ method: 'POST', path: `${path}/files`, token, body });
      for (const list of ['branches', 'commits', 'commits?per_page=100']) {
        await world.attack({ path: `${path}/${list}`, token });
      }
      const message = repeated(unit, bytes);
      const tag = { tag_name: 'v1', ref: 'master', message, release_description: message };
      await world.attack({ method: 'POST', path: `${path}/tags`, token, body: tag });
      await world.attack({ path: `${path}/tags`, token });
    },
  },
];
