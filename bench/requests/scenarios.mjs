/**
 * A request: where the service answers it and where the baseline does, and the share of the baseline's
 * answers per second that the service is to reach.
 * @typedef {object} RequestScenario
 * @property {string} scenario
 * @property {string[]} routes asked for in turn, with the version of the API
 * @property {string[]} plain as many
 * @property {'GET' | 'POST'} method
 * @property {object} [body]
 * @property {{ atLeast: number }} goal
 */

const PAGE = 20;
/** What version 4 is to reach of the rate of version 3. */
const SHARE_OF_V4 = 0.7;

const ISSUE = {
  title: 'Pages of long lists jump while they load',
  description: `The list scrolls back to its beginning whenever another page arrives. Seen with more than
two hundred entries, in two browsers, since the last release. Expected: it stays where the reader is.`,
};
const NOTE = {
  body: 'Seen here as well, after an upgrade. The first page is right, the second one begins with the wrong entry.',
};
const STATUS = { state: 'success', ref: 'master', name: 'test', description: 'All suites passed' };

/** The same rows by both versions. */
function reads(scenario, atLeast, { plain, v3, v4 = v3 }) {
  const read = { method: 'GET', plain: [plain] };
  return [
    { ...read, scenario, goal: { atLeast }, routes: [`/api/v3${v3}`] },
    {
      ...read,
      scenario: `${scenario}, version 4`,
      goal: { atLeast: Number((SHARE_OF_V4 * atLeast).toFixed(2)) },
      routes: [`/api/v4${v4}`],
    },
  ];
}

function write(scenario, atLeast, { routes, ...request }) {
  const written = routes.map((route) => `/api/v3${route}`);
  return { scenario, goal: { atLeast }, method: 'POST', routes: written, ...request };
}

/**
 * What to ask the service and the baseline for. Both have the same objects in the same order.
 * @param {RequestScenario} scenario
 * @param {{ service: import('../service.mjs').Service, baseline: import('../baseline/baseline.mjs').Baseline }} asked
 * @param {Record<string, string>} headers for the service
 * @returns {Record<'ours' | 'theirs', import('../load.mjs').Target>}
 */
export function targetsOf({ routes, plain, method, body }, { service, baseline }, headers) {
  const ours = routes.map((route) => `${service.url}${route}`);
  const theirs = plain.map((path) => baseline.url(path));
  return {
    ours: { url: inTurn(ours), method, body, headers },
    theirs: { url: inTurn(theirs), method, body },
  };
}

function inTurn(urls) {
  if (urls.length === 1) return urls[0];
  let turn = 0;
  return () => urls[turn++ % urls.length];
}

/**
 * The requests of a developer on a private project.
 * @param {import('./tracker.mjs').Tracker} tracker
 * @returns {RequestScenario[]}
 */
export function requestScenarios({ project, written, developer, issue, mergeRequest, commits }) {
  const route = `/projects/${project.id}`;
  const me = developer.id;
  return [
    ...reads('list of 20 commits', 1, {
      v3: `${route}/repository/commits?per_page=${PAGE}`,
      plain: '/rows/commits/0',
    }),
    ...reads('list of 20 branches', 0.9, {
      v3: `${route}/repository/branches?per_page=${PAGE}`,
      plain: `/rows/branches/${PAGE}`,
    }),
    ...reads('one project', 0.3, { v3: route, plain: `/rows/project/${me}/${project.id}` }),
    ...reads('list of 20 issues', 0.4, {
      v3: `${route}/issues?per_page=${PAGE}`,
      plain: `/rows/issues/${project.id}`,
    }),
    ...reads('one issue', 0.3, {
      v3: `${route}/issues/${issue.id}`,
      v4: `${route}/issues/${issue.iid}`,
      plain: `/rows/issue/${project.id}/${issue.id}`,
    }),
    write('create an issue with two labels', 0.3, {
      body: { ...ISSUE, labels: written.labels.map(({ name }) => name).join(',') },
      routes: [`/projects/${written.project.id}/issues`],
      plain: [['/writes/issue', written.project.id, me, ...idsOf(written.labels)].join('/')],
    }),
    ...reads('list of 20 merge requests', 0.35, {
      v3: `${route}/merge_requests?per_page=${PAGE}`,
      plain: `/rows/merge-requests/${project.id}`,
    }),
    ...reads('one merge request', 0.2, {
      v3: `${route}/merge_requests/${mergeRequest.id}`,
      v4: `${route}/merge_requests/${mergeRequest.iid}`,
      plain: `/rows/merge-request/${project.id}/${mergeRequest.id}`,
    }),
    ...reads('list of 20 notes', 0.4, {
      v3: `${route}/issues/${issue.id}/notes?per_page=${PAGE}`,
      v4: `${route}/issues/${issue.iid}/notes?sort=asc&per_page=${PAGE}`,
      plain: `/rows/notes/${issue.id}`,
    }),
    ...reads('list of 20 projects of 26', 0.35, {
      v3: `/projects?per_page=${PAGE}`,
      v4: `/projects?membership=true&per_page=${PAGE}`,
      plain: `/rows/projects/${me}`,
    }),
    ...reads('GET /user', 0.45, { v3: '/user', plain: `/rows/user/${me}` }),
    write('create a note', 0.3, {
      body: NOTE,
      routes: idsOf(written.issues).map(
        (id) => `/projects/${written.project.id}/issues/${id}/notes`,
      ),
      plain: idsOf(written.issues).map((id) => `/writes/note/${written.project.id}/${me}/${id}`),
    }),
    write('post a commit status', 0.2, {
      body: STATUS,
      routes: commits.map((sha) => `${route}/statuses/${sha}`),
      plain: commits.map((sha) => `/writes/status/${project.id}/${me}/${sha}`),
    }),
  ];
}

const idsOf = (rows) => rows.map(({ id }) => id);
