/**
 * A request: where the service answers it and where the baseline does, and the share of the baseline's
 * answers per second that the service is to reach.
 * @typedef {object} RequestScenario
 * @property {string} scenario
 * @property {string[]} routes asked for in turn
 * @property {string[]} plain as many
 * @property {'GET' | 'POST'} method
 * @property {object} [body]
 * @property {{ atLeast: number }} goal
 */

const PAGE = 20;

const ISSUE = {
  title: 'Pages of long lists jump while they load',
  description: `The list scrolls back to its beginning whenever another page arrives. Seen with more than
two hundred entries, in two browsers, since the last release. Expected: it stays where the reader is.`,
};
const NOTE = {
  body: 'Seen here as well, after an upgrade. The first page is right, the second one begins with the wrong entry.',
};
const STATUS = { state: 'success', ref: 'master', name: 'test', description: 'All suites passed' };

function read(scenario, atLeast, { route, plain }) {
  return { scenario, goal: { atLeast }, method: 'GET', routes: [route], plain: [plain] };
}

function write(scenario, atLeast, request) {
  return { scenario, goal: { atLeast }, method: 'POST', ...request };
}

/**
 * What to ask the service and the baseline for. Both have the same objects in the same order.
 * @param {RequestScenario} scenario
 * @param {{ service: import('../service.mjs').Service, baseline: import('../baseline/baseline.mjs').Baseline }} asked
 * @param {Record<string, string>} headers for the service
 * @returns {Record<'ours' | 'theirs', import('../load.mjs').Target>}
 */
export function targetsOf({ routes, plain, method, body }, { service, baseline }, headers) {
  const ours = routes.map((route) => service.apiUrl(route));
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
    read('list of 20 commits', 1, {
      route: `${route}/repository/commits?per_page=${PAGE}`,
      plain: '/rows/commits/0',
    }),
    read('list of 20 branches', 0.9, {
      route: `${route}/repository/branches?per_page=${PAGE}`,
      plain: `/rows/branches/${PAGE}`,
    }),
    read('one project', 0.3, { route, plain: `/rows/project/${me}/${project.id}` }),
    read('list of 20 issues', 0.4, {
      route: `${route}/issues?per_page=${PAGE}`,
      plain: `/rows/issues/${project.id}`,
    }),
    read('one issue', 0.3, {
      route: `${route}/issues/${issue.id}`,
      plain: `/rows/issue/${project.id}/${issue.id}`,
    }),
    write('create an issue with two labels', 0.3, {
      body: { ...ISSUE, labels: written.labels.map(({ name }) => name).join(',') },
      routes: [`/projects/${written.project.id}/issues`],
      plain: [['/writes/issue', written.project.id, me, ...idsOf(written.labels)].join('/')],
    }),
    read('list of 20 merge requests', 0.35, {
      route: `${route}/merge_requests?per_page=${PAGE}`,
      plain: `/rows/merge-requests/${project.id}`,
    }),
    read('one merge request', 0.2, {
      route: `${route}/merge_requests/${mergeRequest.id}`,
      plain: `/rows/merge-request/${project.id}/${mergeRequest.id}`,
    }),
    read('list of 20 notes', 0.4, {
      route: `${route}/issues/${issue.id}/notes?per_page=${PAGE}`,
      plain: `/rows/notes/${issue.id}`,
    }),
    read('list of 20 projects of 26', 0.35, {
      route: `/projects?per_page=${PAGE}`,
      plain: `/rows/projects/${me}`,
    }),
    read('GET /user', 0.45, { route: '/user', plain: `/rows/user/${me}` }),
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
