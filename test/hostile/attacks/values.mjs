// Values of parameters: names, patterns, labels and pages that expressions or queries choke on.
import { hostileText, repeated } from '../hostile-text.mjs';
import { commit } from '../git-client.mjs';

/** What backtracking expressions fear, by unit, and an end that does not match. */
const VALUES = [
  ...[
    'a',
    '-',
    '.',
    '@',
    ' ',
    '\t',
    '/',
    '%2F',
    '*',
    '**/',
    '?',
    '(',
    '[',
    'a-',
    'a.',
    '._-',
    '\\',
  ],
  ...[
    'a@',
    'a@a.',
    '<',
    '<a',
    '</',
    '%',
    '_',
    '%_',
    "'",
    '"',
    'ﷺ',
    '\u0301',
    '\ud83d\ude00',
    '\0',
    '0',
    '1e',
  ],
];

/** Where a text of the client's own choice ends up in an expression, a query or a command. */
const FIELDS = {
  'user name': (text) => ['POST', '/api/v3/users', user({ name: text }), 'root'],
  username: (text) => ['POST', '/api/v3/users', user({ username: text }), 'root'],
  email: (text) => ['POST', '/api/v3/user/emails', { email: text }],
  'new email': (text) => ['POST', '/api/v3/users', user({ email: `${text}@example.com` }), 'root'],
  website: (text, { me }) => ['PUT', `/api/v3/users/${me}`, { website_url: text }, 'root'],
  key: (text) => ['POST', '/api/v3/user/keys', { title: 'A key', key: text }],
  'project name': (text) => ['POST', '/api/v3/projects', { name: text }],
  'project path': (text) => ['POST', '/api/v3/projects', { name: 'a', path: text }],
  'import address': (text) => [
    'POST',
    '/api/v3/projects',
    { name: 'a', import_url: `http://${text}` },
  ],
  'group path': (text) => ['POST', '/api/v3/groups', { name: 'a', path: text }],
  label: (text, { api }) => ['POST', `${api}/labels`, { name: text, color: '#ffffff' }],
  color: (text, { api }) => ['POST', `${api}/labels`, { name: 'a', color: `#${text}` }],
  'hook address': (text, { api }) => ['POST', `${api}/hooks`, { url: `http://${text}` }],
  branch: (text, { api }) => [
    'POST',
    `${api}/repository/branches`,
    { branch_name: text, ref: 'master' },
  ],
  'branch source': (text, { api }) => [
    'POST',
    `${api}/repository/branches`,
    { branch_name: 'b', ref: text },
  ],
  tag: (text, { api }) => ['POST', `${api}/repository/tags`, { tag_name: text, ref: 'master' }],
  protect: (text, { api }) => ['PUT', `${api}/repository/branches/${escape(text)}/protect`, {}],
  file: (text, { api }) => [
    'POST',
    `${api}/repository/files`,
    { file_path: text, branch_name: 'master', content: 'a', commit_message: 'a' },
  ],
  title: (text, { api }) => ['POST', `${api}/issues`, { title: text }],
  'issue date': (text, { api }) => ['POST', `${api}/issues`, { title: 'a', due_date: text }],
  'issue labels': (text, { api }) => ['POST', `${api}/issues`, { title: 'a', labels: text }],
  milestone: (text, { api }) => ['POST', `${api}/milestones`, { title: text }],
  emoji: (text, { api }) => ['POST', `${api}/issues/1/award_emoji`, { name: text }],
  'allowed domains': (text) => [
    'PUT',
    '/api/v3/application/settings',
    { domain_whitelist: [text] },
    'root',
  ],
  'blocked domains': (text) => [
    'PUT',
    '/api/v3/application/settings',
    { domain_blacklist_enabled: true, domain_blacklist: text },
    'root',
  ],
  'status address': (text, { api, hash }) => [
    'POST',
    `${api}/statuses/${hash}`,
    { state: 'success', target_url: `http://${text}`, ref: text },
  ],
};

const QUERIES = {
  projects: (text) => `/api/v3/projects?search=${escape(text)}`,
  'project search': (text) => `/api/v3/projects/search/${escape(text)}`,
  users: (text) => `/api/v3/users?search=${escape(text)}`,
  groups: (text) => `/api/v3/groups?search=${escape(text)}`,
  namespaces: (text) => `/api/v3/namespaces?search=${escape(text)}`,
  labels: (text, { api }) => `${api}/issues?labels=${escape(text)}`,
  milestone: (text, { api }) => `${api}/issues?milestone=${escape(text)}`,
  commits: (text, { api }) => `${api}/repository/commits?ref_name=${escape(text)}`,
  paths: (text, { api }) => `${api}/repository/commits?path=${escape(text)}`,
  tree: (text, { api }) => `${api}/repository/tree?path=${escape(text)}`,
  compare: (text, { api }) => `${api}/repository/compare?from=${escape(text)}&to=master`,
  archive: (text, { api }) => `${api}/repository/archive?sha=${escape(text)}`,
  project: (text) => `/api/v3/projects/${escape(text)}`,
};

const escape = (text) => encodeURIComponent(text.toWellFormed());

const user = (fields) => ({
  ...{ name: 'A', username: 'a', email: 'a@example.com', password: 'a-password-of-its-own' },
  ...fields,
});

/** Texts that match for long and then do not. */
function valuesOf(world, { units, length }) {
  return units.map(
    (unit) => `${repeated(unit, length)}${world.random.pick(['!', '\n', '@', '', '\0'])}`,
  );
}

async function projectWithCommit(world) {
  const project = await world.project();
  await project.git.import(commit({ message: 'First', files: { 'a.txt': 'a' } }));
  await world.pushQuietly(project);
  await world.issue(project, {});
  const hash = (await project.git.must(['rev-parse', 'master'])).trim();
  return { ...project, hash, me: world.mallory.id };
}

/** Many rows with large texts, of which lists show all. */
async function filledIssues(world, { issues, bytes }) {
  const project = await world.project();
  const description = 'word '.repeat(bytes / 5);
  for (let index = 0; index < issues; index += 1) {
    await world.issue(project, { title: `Issue ${index}`, description });
  }
  return project;
}

/** Texts of a size wherever lists show texts: issues, their milestone, notes, commits of a request. */
async function filledLists(world, { count, bytes }) {
  const project = await world.project();
  const { api } = project;
  const text = 'word '.repeat(bytes / 5);
  const make = (path, body) => world.must({ method: 'POST', path: `${api}/${path}`, body });
  const { id: milestone } = await make('milestones', { title: 'Soon', description: text });
  let issue;
  for (let index = 0; index < count; index += 1) {
    issue = await make('issues', { title: `Issue ${index}`, description: text });
    await make('issues', { title: `Planned ${index}`, milestone_id: milestone });
  }
  for (let index = 0; index < count; index += 1) {
    await make(`issues/${issue.id}/notes`, { body: text });
  }
  const commits = function* () {
    yield* commit({ message: 'First', files: { 'a.txt': 'a' } });
    for (let index = 0; index < count; index += 1) {
      const from = index === 0 ? 'refs/heads/master' : undefined;
      const files = { 'b.txt': `${index}\n` };
      yield* commit({ ref: 'refs/heads/topic', message: text, from, files });
    }
  };
  await project.git.import(commits());
  await world.pushQuietly(project);
  const { id: request } = await make('merge_requests', {
    ...{ source_branch: 'topic', target_branch: 'master', title: 'A request', description: text },
  });
  const [version] = JSON.parse(
    (await world.quietly({ path: `${api}/merge_requests/${request}/versions` })).text,
  );
  return [
    ...['issues', `milestones/${milestone}/issues`, `issues/${issue.id}/notes`],
    ...['events', 'repository/commits?ref_name=topic', `merge_requests/${request}/commits`],
    ...[`merge_requests/${request}/versions/${version.id}`, 'repository/branches'],
  ].map((list) => `${api}/${list}${list.includes('?') ? '&' : '?'}per_page=100`);
}

export const VALUES_AND_LISTS = [
  {
    name: 'hostile-values',
    about: 'names, addresses and patterns that expressions fear, in every field that takes a text',
    sample: { units: ['a', '-', '.', 'a.', '@', '<', ' ', '*'], length: 50_000 },
    vary: (random) => ({
      units: Array.from({ length: 8 }, () => random.pick(VALUES)),
      length: random.pick([60, 255, 5_000, 200_000, 900_000]),
    }),
    prepare: projectWithCommit,
    async run(world, params, project) {
      const values = valuesOf(world, params);
      for (const [index, make] of Object.values(FIELDS).entries()) {
        if (world.isOver) return;
        const [method, path, body, who] = make(values[index % values.length], project);
        const token = who === 'root' ? world.rootToken : world.mallory.token;
        if (path.length < 15_000) await world.attack({ method, path, body, token });
      }
    },
  },
  {
    name: 'hostile-searches',
    about: 'search texts, labels and paths of the same kind, in query strings',
    sample: { units: ['%', '_', '*', '\\', 'a', '/', ',', '-'], length: 2_000 },
    vary: (random) => ({
      units: Array.from({ length: 8 }, () => random.pick(VALUES)),
      length: random.pick([60, 1_000, 2_500]),
    }),
    prepare: projectWithCommit,
    async run(world, params, project) {
      const { token } = world.mallory;
      const values = valuesOf(world, params);
      await world.many(4, (first) =>
        world.repeat(Object.keys(QUERIES).length, (index) => {
          const make = Object.values(QUERIES)[index];
          return world.attack({
            path: make(values[(first + index) % values.length], project),
            token,
          });
        }),
      );
    },
  },
  {
    name: 'help-searches',
    about: 'searches of the documents at once, anonymous',
    sample: { count: 450, paths: ['search?q=the'] },
    vary: (random) => ({
      count: random.integer(100, 900),
      paths: Array.from({ length: 6 }, () =>
        random.pick([
          ...['search?q=the', 'search?q=a+e+i+o+u+t+n+s', 'search?q=no-such-word', 'search'],
          ...[`search?q=${'%2B*'.repeat(50)}`, `search?q=${'a'.repeat(500)}`],
          ...['operations', 'configuration', 'reference/issues', 'reference/projects', 'none'],
        ]),
      ),
    }),
    async run(world, { count, paths }) {
      await world.many(8, () =>
        world.repeat(20, () =>
          world.many(Math.ceil(count / 8), (index) =>
            world.attack({ path: `/help/${paths[index % paths.length]}` }),
          ),
        ),
      );
    },
  },
  {
    name: 'label-lists',
    about: 'issues with 100,000 labels, and lists by as many',
    sample: { labels: 100_000, isNew: true },
    vary: (random) => ({
      labels: random.pick([1_000, 20_000, 300_000]),
      isNew: random.chance(0.7),
    }),
    prepare: projectWithCommit,
    async run(world, { labels, isNew }, { api }) {
      const { token } = world.mallory;
      const names = Array.from({ length: labels }, (_, i) => (isNew ? `l${i}` : 'l')).join(',');
      const body = { title: 'An issue', labels: names };
      await world.attack({ method: 'POST', path: `${api}/issues`, token, body });
      await world.attack({ path: `${api}/issues?labels=${names.slice(0, 14_000)}`, token });
      await world.attack({ method: 'GET', path: `${api}/issues`, token, body: { labels: names } });
      await world.attack({ path: `${api}/labels?per_page=100`, token });
    },
  },
  {
    name: 'large-lists',
    about: 'a list of 60 descriptions of 1 MB, by eight readers',
    sample: { issues: 60, bytes: 1_000_000, readers: 8 },
    vary: (random) => ({
      issues: random.integer(20, 60),
      bytes: random.pick([50_000, 400_000, 900_000]),
      readers: random.integer(4, 24),
    }),
    // Readers wait for slots.
    limitMs: 20_000,
    prepare: filledIssues,
    async run(world, { readers }, { api }) {
      const { token } = world.mallory;
      const path = `${api}/issues?per_page=100`;
      await world.many(readers, () => world.repeat(3, () => world.attack({ path, token })));
    },
  },
  {
    name: 'long-texts',
    about: 'every list of 100 texts of 1 MB: issues, milestones, notes, events, commits, versions',
    sample: { count: 100, bytes: 1_000_000, readers: 8 },
    vary: (random) => ({
      count: random.integer(20, 100),
      bytes: random.pick([20_000, 300_000, 1_000_000]),
      readers: random.integer(2, 24),
    }),
    limitMs: 60_000,
    prepare: filledLists,
    async run(world, { readers }, lists) {
      const { token } = world.mallory;
      await world.many(readers, (first) =>
        world.repeat(lists.length, (index) =>
          world.attack({ path: lists[(first + index) % lists.length], token }),
        ),
      );
    },
  },
  {
    name: 'extreme-pages',
    about: 'pages and page sizes beyond all bounds',
    sample: { values: ['99999999999999999999', '-1', '0', '1e9', '2147483648', '100'] },
    vary: (random) => ({
      values: Array.from({ length: 6 }, () => String(random.integer(-(2 ** 33), 2 ** 33))),
    }),
    prepare: projectWithCommit,
    async run(world, { values }, { api }) {
      const { token } = world.mallory;
      const lists = [
        ...[
          '/api/v3/projects',
          '/api/v3/users',
          '/api/v3/issues',
          `${api}/issues`,
          `${api}/events`,
        ],
        ...[`${api}/repository/commits`, `${api}/repository/branches`, `${api}/repository/tree`],
      ];
      for (const list of lists) {
        await world.many(values.length, (index) => {
          const other = values[(index + 1) % values.length];
          const path = `${list}?page=${values[index]}&per_page=${other}`;
          return world.attack({ path, token });
        });
      }
    },
  },
  {
    name: 'floods-of-writes',
    about: 'notes, awards and stars, thirty at a time',
    sample: { atOnce: 30, rounds: 20, length: 2_000 },
    vary: (random) => ({
      atOnce: random.integer(10, 60),
      rounds: random.integer(5, 30),
      length: random.pick([10, 2_000, 50_000]),
    }),
    prepare: projectWithCommit,
    async run(world, { atOnce, rounds, length }, { api }) {
      const { token } = world.mallory;
      const [issue] = JSON.parse((await world.quietly({ path: `${api}/issues` })).text);
      const base = `${api}/issues/${issue.id}`;
      const body = hostileText(world.random, length);
      const writes = [
        { method: 'POST', path: `${base}/notes`, body: { body } },
        { method: 'POST', path: `${base}/award_emoji`, body: { name: 'thumbsup' } },
        { method: 'PUT', path: base, body: { title: body.slice(0, 100) } },
        { method: 'POST', path: `${api}/star` },
        { method: 'POST', path: `${base}/todo` },
      ];
      await world.many(atOnce, (index) =>
        world.repeat(rounds, (round) =>
          world.attack({ token, ...writes[(index + round) % writes.length] }),
        ),
      );
    },
  },
  {
    name: 'large-commits-by-api',
    about: 'commits of 20 MB of files through the API, four at once',
    sample: { files: 5_000, bytes: 2_000, atOnce: 4 },
    vary: (random) => ({
      files: random.pick([1, 100, 2_000, 20_000]),
      bytes: random.pick([10, 500, 4_000]),
      atOnce: random.integer(1, 6),
    }),
    prepare: projectWithCommit,
    async run(world, { files, bytes, atOnce }, { api }) {
      const { token } = world.mallory;
      const content = 'a'.repeat(bytes);
      await world.many(atOnce, (index) => {
        const actions = Array.from({ length: files }, (_, i) => {
          return { action: 'create', file_path: `d${i % 50}/f${i}-${index}`, content };
        });
        const body = {
          branch_name: `b${index}`,
          start_branch: 'master',
          commit_message: 'a',
          actions,
        };
        return world.attack({ method: 'POST', path: `${api}/repository/commits`, token, body });
      });
    },
  },
];
