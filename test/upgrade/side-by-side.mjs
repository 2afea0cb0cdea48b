// Upgrades a running service: the schema first, under processes of the last release, then process by process. In between,
// each version serves requests and carries out jobs of the other.
//
//   node test/upgrade/side-by-side.mjs [--seed NUMBER] [--redis URL]
//
// --seed changes nothing: there is nothing at random.
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { built } from '../crash/own-database.mjs';
import { until } from '../crash/processes.mjs';
import { Scratch } from '../crash/scratch.mjs';
import { Service } from '../crash/service.mjs';
import { Api, Checkout, Example } from './example.mjs';
import { buildRelease, commandOf, findCommit } from './release-build.mjs';
import { newestRelease } from './releases.mjs';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '0' },
    redis: { type: 'string' },
  },
});

/** Of each case: two branches and a merge. */
const PUSHES = 3;
const LIMIT_MS = 60_000;
const PASSWORD = 'password-of-the-crash-rounds';
const silent = { info() {}, warn() {}, error() {}, debug() {} };

/** Counters beside what they count. */
const WRONG_COUNTERS = `
  SELECT i.id FROM issues i WHERE user_notes_count <> (
    SELECT count(*) FROM notes WHERE noteable_type = 'Issue' AND noteable_id = i.id AND NOT system)
   UNION ALL
  SELECT c.project_id FROM issue_counts c WHERE (opened, closed) <> (
    SELECT count(*) FILTER (WHERE state = 'opened'), count(*) FILTER (WHERE state = 'closed')
      FROM issues WHERE project_id = c.project_id AND deleted_at IS NULL)`;

/** A receiver of hooks that notes which issues it was told of. */
class Receiver {
  #titles = [];
  #server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    this.#titles.push(JSON.parse(body).object_attributes?.title);
    response.end();
  });

  async start() {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${this.#server.address().port}/hook`;
  }

  hasIssue(title) {
    return this.#titles.includes(title);
  }

  stop() {
    this.#server.close();
  }
}

class Upgrade {
  #problems = [];
  #count = 0;
  /** The projects of the cases before. */
  #former = [];

  constructor({ scratch, client, receiver }) {
    this.scratch = scratch;
    this.client = client;
    this.receiver = receiver;
  }

  get problems() {
    return this.#problems;
  }

  /** Uses a version as people do, while a worker of any version runs. */
  async use(url, how) {
    this.#count += 1;
    const name = `case-${this.#count}`;
    const step = async (what, work) => {
      try {
        return await work();
      } catch (error) {
        throw new Error(`${how}: ${what} fails`, { cause: error });
      }
    };
    const api = new Api(url);
    await step('signing in', () => api.post('/session', { login: 'root', password: PASSWORD }));
    const project = await step('creating a project', () => api.post('/projects', { name }));
    const base = `/projects/${project.id}`;
    const checkout = await Checkout.create(this.scratch.folder, url, `root/${name}`);
    await step('pushing', async () => {
      await checkout.commit('README.md', 'Begin');
      await checkout.push('master');
      await checkout.git('switch', '--quiet', '--create', 'topic');
      await checkout.commit('topic.txt', 'Go on');
      await checkout.push('topic');
    });
    await step('adding a hook', () =>
      api.post(`${base}/hooks`, { url: this.hookUrl, issues_events: true }),
    );
    const issue = await step('creating an issue', () =>
      api.post(`${base}/issues`, { title: `Issue of ${name}` }),
    );
    await step('commenting', () => api.post(`${base}/issues/${issue.id}/notes`, { body: 'Why?' }));
    const request = await step('creating a merge request', () =>
      api.post(`${base}/merge_requests`, {
        source_branch: 'topic',
        target_branch: 'master',
        title: `Closes #${issue.iid}`,
        description: `Closes #${issue.iid}`,
      }),
    );
    await step('merging', () => api.put(`${base}/merge_requests/${request.id}/merge`));
    await this.expect(`${how}: the hook is delivered to`, () =>
      this.receiver.hasIssue(`Issue of ${name}`),
    );
    await this.expect(`${how}: the issue is closed by the merge`, async () => {
      const { state, user_notes_count } = await api.get(`${base}/issues/${issue.id}`);
      return state === 'closed' && user_notes_count === 1;
    });
    this.#former.push(base);
    for (const each of this.#former) {
      const events = await step('reading events', () => api.get(`${each}/events`));
      const pushes = events.flatMap(({ data }) => data ?? []);
      const isWhole = ({ checkout_sha, commits }) => commits.at(-1)?.id === checkout_sha;
      if (pushes.length !== PUSHES || !pushes.every(isWhole)) {
        this.#problems.push(`${how}: the events of ${each} are ${JSON.stringify(pushes)}`);
      }
    }
    console.log(how);
  }

  async expect(what, condition) {
    if (!(await until(condition, LIMIT_MS))) this.#problems.push(`Not within a minute: ${what}`);
  }

  /** Writes through a version for as long as some work takes; none of it may fail. */
  async writeDuring(url, work) {
    const api = new Api(url);
    const route = '/projects/crew%2Fengine/issues/1/notes';
    const end = new AbortController();
    const writing = (async () => {
      let count = 0;
      for (; !end.signal.aborted; count += 1) await api.post(route, { body: `Note ${count}` });
      return count;
    })();
    await work();
    end.abort();
    return writing;
  }

  async checkState() {
    const { rows } = await this.client.query(WRONG_COUNTERS);
    if (rows.length > 0) this.#problems.push(`Wrong counters: ${JSON.stringify(rows)}`);
    await this.expect('all jobs are carried out', async () => {
      await this.client.query('UPDATE outbox SET run_at = now() WHERE enqueued_at IS NULL');
      return (await this.client.query('SELECT 1 FROM outbox')).rows.length === 0;
    });
    const { rows: failed } = await this.client.query('SELECT name, error FROM outbox');
    for (const { name, error } of failed) this.#problems.push(`The job ${name} is left: ${error}`);
  }
}

const load = (folder, ...names) => import(pathToFileURL(path.join(folder, ...names)).href);

async function upgradeOnce(scratch, { version, commit }) {
  const main = await buildRelease(commit, path.join(scratch.folder, 'release'));
  const { EmbeddedPostgres } = await load(built('platform', 'database', 'embedded'), 'index.js');
  const [before, after] = [
    // The folder's name in that release.
    await load(path.dirname(main), 'roles', 'migrate.js'),
    await load(built('bootstrap'), 'migrate.js'),
  ];
  const dataDir = path.join(scratch.folder, 'database');
  const server = await EmbeddedPostgres.start({ dataDir, logger: silent });
  scratch.defer(() => server.stop());
  await before.migrate(server.url);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  scratch.defer(() => client.end());
  const receiver = new Receiver();
  const hookUrl = await receiver.start();
  scratch.defer(() => receiver.stop());

  const service = (roles, build) => {
    const made = new Service({
      ...build,
      roles,
      folder: scratch.folder,
      redisUrl: options.redis,
      database: { url: server.url, dataDir },
      environment: {
        SECRET_KEY: 'a key that is good enough for tests',
        WEBHOOK_ALLOW_LOCAL: 'true',
      },
    });
    scratch.defer(() => made.destroy());
    return made;
  };
  const release = { main, command: commandOf(version) };
  const present = { main: built('main.js') };
  const [oldApi, oldWorker] = [service(['api'], release), service(['worker'], release)];
  const [newApi, newWorker] = [service(['api'], present), service(['worker'], present)];

  const upgrade = new Upgrade({ scratch, client, receiver });
  upgrade.hookUrl = hookUrl;
  await oldApi.start();
  await oldWorker.start();
  await new Example(oldApi.url, scratch.folder).create(hookUrl);
  const notes = await upgrade.writeDuring(oldApi.url, () => after.migrate(server.url));
  console.log(`the schema is migrated under ${version}, which wrote ${notes} notes meanwhile`);
  await upgrade.use(oldApi.url, `api and worker of ${version} on the new schema`);
  upgrade.problems.push(...(await oldWorker.stop()));
  await oldWorker.start();
  await newApi.start();
  await upgrade.use(newApi.url, `new api, worker of ${version} started anew`);
  await newWorker.start();
  upgrade.problems.push(...(await oldWorker.stop()));
  await upgrade.use(oldApi.url, `api of ${version}, new worker`);
  upgrade.problems.push(...(await oldApi.stop()));
  await upgrade.use(newApi.url, 'new api and worker');
  await upgrade.checkState();
  upgrade.problems.push(...(await newApi.stop()), ...(await newWorker.stop()));
  return upgrade.problems;
}

async function upgradeFromRelease() {
  const release = await newestRelease();
  if ((await findCommit(release.commit)) !== 'present') {
    return [`This clone has no commit ${release.commit}, which is ${release.version}`];
  }
  return upgradeOnce(scratch, release);
}

const scratch = await Scratch.open('trellis-upgrade-');
await scratch.judge(upgradeFromRelease, {
  seed: options.seed,
  success: 'Both versions served and carried out jobs side by side.',
});
