import { WRITE_TABLES } from '../baseline/writes.mjs';
import { git } from '../git.mjs';
import { inParallel } from '../parallel.mjs';
import { createProject, PRIVATE, stock } from '../seed.mjs';

const PASSWORD = 'developer-on-a-project';
const DEVELOPER = 'mia';
const PEOPLE = [DEVELOPER, 'bo', 'cy', 'di', 'eve'];
const DEVELOPER_ACCESS = 30;

/** With the two that hold more, 26. */
const SMALL_PROJECTS = 24;
const ISSUES = 300;
const MERGE_REQUESTS = 50;
/** What notes are written on. */
const WRITTEN_ISSUES = 100;
/** Three pages of them. */
const LONG_DISCUSSION = 60;

const LABELS = [
  ...['bug', 'feature', 'documentation', 'performance', 'security'],
  ...['backend', 'frontend', 'api', 'usability', 'regression'],
];
const MILESTONES = ['1.0', '1.1', '2.0'];
const WORDS =
  `the page of a long list moves while it loads and nobody sees which entry was read before an
  upgrade changes how the server answers with more than two columns since last release`.split(
    /\s+/,
  );

/**
 * A private project as its developers know it: issues and merge requests with labels, milestones,
 * assignees, notes and votes; and one for what is written while the other is read.
 * @typedef {object} Tracker
 * @property {any} project
 * @property {{ project: any, labels: any[], issues: any[] }} written
 * @property {{ id: number, headers: Record<string, string> }} developer
 * @property {any} issue with more notes than a page
 * @property {any} mergeRequest
 * @property {string[]} commits their hashes
 */

/** Always the same words for a number. */
const text = (number, length) =>
  Array.from({ length }, (_, at) => WORDS[(number * 7 + at * (at + 3)) % WORDS.length]).join(' ');

/**
 * Makes what the requests are about, by the API.
 * @param {import('../bench.mjs').World} world
 * @returns {Promise<Tracker>}
 */
export async function seedTracker({ service, database, generated, progress }) {
  progress.step('seeding a private project');
  const settings = { visibility_level: PRIVATE, description: text(1, 12) };
  const { project } = await stock(service, generated.source, 'tracker', settings);
  const people = await createPeople(service);
  const written = await createProject(service, 'written', settings);
  const small = await createSmallProjects(service, { tracker: project, people, settings });
  const projects = [project, written, ...small];
  for (const { id } of projects) await addMember(service, id, people.get(DEVELOPER));
  for (const name of PEOPLE.slice(1)) await addMember(service, project.id, people.get(name));
  const seed = new ProjectSeed(service, project, people);
  await seed.createTriage();
  const issues = await seed.createIssues();
  const mergeRequests = await seed.createMergeRequests();
  const writtenSeed = await seedWritten(service, written);
  await database.rows(WRITE_TABLES);
  await database.untilJobsAreDone();
  await database.rows('VACUUM ANALYZE');
  return {
    project,
    written: writtenSeed,
    developer: await signIn(service),
    issue: issues.at(-1),
    mergeRequest: mergeRequests.at(-1),
    commits: (await git(['-C', generated.source, 'rev-list', '--all'])).trim().split('\n'),
  };
}

/** @returns {Promise<Map<string, number>>} IDs by user name */
async function createPeople(service) {
  const people = new Map();
  for (const username of PEOPLE) {
    const name = `${username[0].toUpperCase()}${username.slice(1)} Example`;
    const user = { username, name, email: `${username}@example.com`, password: PASSWORD };
    people.set(username, (await service.call('POST', '/users', user)).id);
  }
  return people;
}

async function signIn(service) {
  const credentials = { login: DEVELOPER, password: PASSWORD };
  const { id, private_token: token } = await service.call('POST', '/session', credentials);
  return { id, headers: { 'PRIVATE-TOKEN': token } };
}

/**
 * A third of them lie in a group of the developer, some are shared with it, some are forks; each has an open
 * issue, some of these are confidential.
 */
async function createSmallProjects(service, { tracker, people, settings }) {
  const group = { name: 'crew', path: 'crew', visibility_level: PRIVATE };
  const { id: groupId } = await service.call('POST', '/groups', group);
  const member = { user_id: people.get(DEVELOPER), access_level: DEVELOPER_ACCESS };
  await service.call('POST', `/groups/${groupId}/members`, member);
  const projects = [];
  for (let number = 1; number <= SMALL_PROJECTS; number += 1) {
    const name = `project-${String(number).padStart(2, '0')}`;
    const isInGroup = number % 3 === 0;
    const place = isInGroup ? { namespace_id: groupId } : {};
    const project = await createProject(service, name, { ...settings, ...place });
    const route = `/projects/${project.id}`;
    const issue = { title: text(number, 6), confidential: number % 4 === 0 };
    await service.call('POST', `${route}/issues`, issue);
    if (number % 6 === 1) await service.call('POST', `${route}/fork/${tracker.id}`);
    if (number % 5 === 0 && !isInGroup) {
      const share = { group_id: groupId, group_access: DEVELOPER_ACCESS };
      await service.call('POST', `${route}/share`, share);
    }
    projects.push(project);
  }
  return projects;
}

const addMember = (service, projectId, userId) =>
  service.call('POST', `/projects/${projectId}/members`, {
    user_id: userId,
    access_level: DEVELOPER_ACCESS,
  });

async function createLabels(service, project, names) {
  const labels = [];
  for (const name of names) {
    const label = { name, color: '#428BCA' };
    labels.push(await service.call('POST', `/projects/${project.id}/labels`, label));
  }
  return labels;
}

async function seedWritten(service, project) {
  const labels = await createLabels(service, project, LABELS.slice(0, 2));
  const issues = [];
  for (let number = 1; number <= WRITTEN_ISSUES; number += 1) {
    const issue = { title: text(number, 6), description: text(number, 40) };
    issues.push(await service.call('POST', `/projects/${project.id}/issues`, issue));
  }
  return { project, labels, issues };
}

/** Fills one project; what who does follows from numbers. */
class ProjectSeed {
  #service;
  #route;
  #people;
  #milestones = [];

  constructor(service, project, people) {
    this.#service = service;
    this.#route = `/projects/${project.id}`;
    this.#people = people;
    this.project = project;
  }

  async createTriage() {
    await createLabels(this.#service, this.project, LABELS);
    for (const title of MILESTONES) {
      this.#milestones.push(await this.#call('/milestones', { title, description: text(2, 10) }));
    }
  }

  async createIssues() {
    const issues = [];
    for (let number = 1; number <= ISSUES; number += 1) {
      const issue = { ...this.#issuable(number), confidential: number % 25 === 0 };
      issues.push(await this.#call('/issues', issue));
    }
    await inParallel(issues, async ({ id, iid }) => {
      await this.#discuss(`/issues/${id}`, iid, iid === ISSUES ? LONG_DISCUSSION : iid % 6);
      if (iid % 5 > 0) return;
      await this.#service.call('PUT', `${this.#route}/issues/${id}`, { state_event: 'close' });
    });
    return issues;
  }

  async createMergeRequests() {
    const requests = [];
    for (let number = 1; number <= MERGE_REQUESTS; number += 1) {
      // Every second branch has a commit of its own.
      const branch = `topic/${String(number * 2).padStart(3, '0')}`;
      const branches = { source_branch: branch, target_branch: 'master' };
      const fields = { ...this.#issuable(number), ...branches };
      requests.push(await this.#call('/merge_requests', fields));
    }
    await inParallel(requests, ({ id, iid }) =>
      this.#discuss(`/merge_requests/${id}`, iid, iid % 4),
    );
    return requests;
  }

  /** Two of three have an assignee, two of three a milestone, all two labels. */
  #issuable(number) {
    const assignee = PEOPLE[(number * 2) % PEOPLE.length];
    const labels = [LABELS[number % LABELS.length], LABELS[(number * 3 + 1) % LABELS.length]];
    return {
      title: text(number, 6),
      description: text(number, 40),
      labels: labels.join(','),
      ...(number % 3 > 0 && { assignee_id: this.#people.get(assignee) }),
      ...(number % 3 < 2 && { milestone_id: this.#milestones[number % 3].id }),
      sudo: PEOPLE[number % PEOPLE.length],
    };
  }

  async #discuss(path, number, notes) {
    for (let count = 0; count < notes; count += 1) {
      const sudo = PEOPLE[(number + count) % PEOPLE.length];
      await this.#call(`${path}/notes`, { body: text(number + count, 20), sudo });
    }
    // Nobody votes on what is their own.
    const others = PEOPLE.filter((name) => name !== PEOPLE[number % PEOPLE.length]);
    for (const sudo of others.slice(0, number % 4)) {
      await this.#call(`${path}/award_emoji`, { name: 'thumbsup', sudo });
    }
    if (number % 7 === 0) {
      await this.#call(`${path}/award_emoji`, { name: 'thumbsdown', sudo: others.at(-1) });
    }
  }

  #call(path, body) {
    return this.#service.call('POST', this.#route + path, body);
  }
}
