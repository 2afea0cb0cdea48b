// Writes and reads through two services while a standby that answers reads is delayed, loses its sessions, is killed or
// frozen, or takes the place of its primary, and checks that no answer is older than what was acknowledged before its request.
//
//   node test/faults/replicas.mjs [--steps 40] [--clients 4] [--rounds 2] [--seed TEXT] [--faults NAME,NAME]
//
// Each of the clients takes so many steps, a write and reads of what it or another one has written, in each fault of each round.
import { parseArgs } from 'node:util';
import { built } from '../crash/own-database.mjs';
import { until } from '../crash/processes.mjs';
import { Random } from '../crash/random.mjs';
import { Scratch } from '../crash/scratch.mjs';
import { Service, TOKEN } from '../crash/service.mjs';
import { PostgresCluster } from './postgres-cluster.mjs';

const SETTLE_MS = 30_000;
const MOST_PROBLEMS = 40;
/** How often clients play again while the standby has answered nothing. */
const MOST_REPEATS = 5;
const METRICS_TOKEN = 'token-of-the-metrics';
const ENVIRONMENT = { METRICS_TOKEN, PROCESS_LEASE_SECONDS: '60' };
const FILE = 'file.txt';
/** Of PostgreSQL. */
const CONFLICT_WITH_RECOVERY = '40001';

const { values: options } = parseArgs({
  options: {
    steps: { type: 'string', default: '40' },
    clients: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    faults: { type: 'string' },
  },
});

/** One of the two services, as a user. */
async function call(service, method, path, { body, token = TOKEN } = {}) {
  const response = await fetch(`${service.url}/api/v3${path}`, {
    method,
    headers: { 'Private-Token': token, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json().catch(() => null) };
}

class Replicas {
  problems = [];
  /** What was acknowledged last, by what it is. */
  acknowledged = { issues: new Map(), commits: new Map(), isMember: false };

  constructor({ cluster, services, random }) {
    Object.assign(this, { cluster, services, random });
  }

  async prepare() {
    const made = await this.write('POST', '/projects', { name: 'replicas' });
    this.project = `/projects/${made.id}`;
    const password = 'password of the guest';
    const guest = { username: 'guest', name: 'Guest', email: 'guest@example.com', password };
    this.guest = await this.write('POST', '/users', { ...guest, confirm: false });
    const session = await this.write('POST', '/session', { login: 'guest', password });
    this.guestToken = session.private_token;
    await this.commit('master', 0);
    await this.toggleMember();
  }

  any() {
    return this.random.pick(this.services);
  }

  async write(method, path, body) {
    const { status, body: answer } = await call(this.any(), method, path, { body });
    if (status >= 300) throw new Error(`${method} ${path} is answered with ${status}`);
    return answer;
  }

  /** Reads what has to be there by now. */
  async read(path, check, { token, statuses = [200] } = {}) {
    const answer = await call(this.any(), 'GET', path, { token });
    if (!statuses.includes(answer.status)) {
      this.problems.push(`GET ${path} is answered with ${answer.status}`);
    } else check(answer);
  }

  expect(isTrue, text) {
    if (!isTrue) this.problems.push(text);
  }

  /** @param own the issue of the client */
  async editIssue(own) {
    const known = this.acknowledged.issues.get(own.name);
    const version = (known?.version ?? 0) + 1;
    const title = `${own.name} ${version}`;
    if (known === undefined) {
      const { id } = await this.write('POST', `${this.project}/issues`, { title });
      this.acknowledged.issues.set(own.name, { id, version, notes: 0 });
    } else {
      await this.write('PUT', `${this.project}/issues/${known.id}`, { title });
      this.acknowledged.issues.set(own.name, { ...known, version });
    }
  }

  async addNote(own) {
    const known = this.acknowledged.issues.get(own.name);
    if (known === undefined) return this.editIssue(own);
    await this.write('POST', `${this.project}/issues/${known.id}/notes`, { body: 'a note' });
    this.acknowledged.issues.set(own.name, { ...known, notes: known.notes + 1 });
  }

  async commit(branch, version) {
    const isFirst = version === 0;
    await this.write(isFirst ? 'POST' : 'PUT', `${this.project}/repository/files`, {
      ...{ file_path: FILE, branch_name: branch, content: `${version}` },
      commit_message: `version ${version}`,
    });
    this.acknowledged.commits.set(branch, version);
  }

  async toggleMember() {
    const { isMember } = this.acknowledged;
    // From its sending on, either may be answered until it is acknowledged.
    this.acknowledged.isMember = undefined;
    const members = `${this.project}/members`;
    if (isMember) await this.write('DELETE', `${members}/${this.guest.id}`);
    else await this.write('POST', members, { user_id: this.guest.id, access_level: 20 });
    this.acknowledged.isMember = !isMember;
  }

  async readIssue() {
    const [name, known] = this.random.pick([...this.acknowledged.issues]);
    await this.read(`${this.project}/issues/${known.id}`, ({ body }) => {
      this.#expectIssue(name, known, body);
    });
  }

  async readNotes() {
    const [name, known] = this.random.pick([...this.acknowledged.issues]);
    await this.read(`${this.project}/issues/${known.id}/notes?per_page=100`, ({ body }) => {
      const count = body.filter(({ system }) => !system).length;
      const least = Math.min(known.notes, 100 - (body.length - count));
      this.expect(count >= least, `${name} has ${count} notes of ${known.notes}`);
    });
  }

  async listIssues() {
    const known = [...this.acknowledged.issues];
    await this.read(`${this.project}/issues?per_page=100`, ({ body }) => {
      const found = new Map(body.map((issue) => [issue.id, issue]));
      for (const [name, issue] of known) this.#expectIssue(name, issue, found.get(issue.id));
    });
  }

  async readCommit() {
    const version = this.acknowledged.commits.get('master');
    await this.read(`${this.project}/repository/commits?ref_name=master&per_page=1`, (answer) => {
      const found = Number(answer.body[0].title.replace('version ', ''));
      this.expect(found >= version, `master is at ${found} instead of ${version}`);
    });
  }

  async readAsGuest() {
    const { isMember } = this.acknowledged;
    if (isMember === undefined) return;
    const options = { token: this.guestToken, statuses: [200, 404] };
    await this.read(
      this.project,
      ({ status }) => {
        // Unless it was changed meanwhile.
        if (this.acknowledged.isMember !== isMember) return;
        this.expect(isMember === (status === 200), `the guest gets ${status}: ${isMember}`);
      },
      options,
    );
  }

  /** Clients that write and read at the same time. */
  async play(steps, clients) {
    const play = async (name, index) => {
      const own = { name: `issue-${name}` };
      for (let step = 0; step < steps; step += 1) {
        // Commits to one branch, and the member, have one client each, so that it knows the last state.
        if (index === 0) await this.commit('master', this.acknowledged.commits.get('master') + 1);
        else if (index === 1 && this.random.chance(0.5)) await this.toggleMember();
        else await (this.random.chance(0.6) ? this.editIssue(own) : this.addNote(own));
        for (let reads = this.random.integer(1, 4); reads > 0; reads -= 1) await this.#readAny();
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, index) => play(String(index), index)));
  }

  async #readAny() {
    const ofIssues = ['readIssue', 'readNotes', 'listIssues'];
    const possible = ['readCommit', 'readAsGuest', 'readIssue', 'listIssues', 'readNotes'];
    const some = possible.filter(
      (name) => this.acknowledged.issues.size > 0 || !ofIssues.includes(name),
    );
    await this[this.random.pick(some)]();
  }

  #expectIssue(name, { version, notes }, issue) {
    const found = Number(issue?.title.split(' ')[1] ?? 0);
    this.expect(found >= version, `${name} is at ${found} instead of ${version}`);
    const count = issue?.user_notes_count ?? 0;
    this.expect(count >= notes, `${name} counts ${count} notes instead of ${notes}`);
  }

  /** How many requests were answered from which server so far. */
  async served() {
    const counts = { standby: 0, primary: 0, repeated: 0 };
    for (const { url } of this.services) {
      const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
      const text = await (await fetch(`${url}/metrics`, { headers })).text();
      const count = (line) => Number(new RegExp(`^${line} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
      counts.standby += count('trellis_replica_requests_total\\{server="standby"\\}');
      counts.primary += count('trellis_replica_requests_total\\{server="primary"\\}');
      counts.repeated += count('trellis_replica_repeated_statements_total');
    }
    return counts;
  }

  async servedDuring(work) {
    const before = await this.served();
    await work();
    const after = await this.served();
    return Object.fromEntries(Object.entries(after).map(([name, n]) => [name, n - before[name]]));
  }

  /** Waits until the standby has answered another request, or nothing will be asked of it any more. */
  async awaitAnswer(isOver) {
    const { standby } = await this.served();
    await until(async () => isOver() || (await this.served()).standby > standby, SETTLE_MS);
  }

  /** Begins to play, and does something once the standby has answered amid that. */
  async playAmid(play, work) {
    let isPlayed = false;
    const playing = play().finally(() => (isPlayed = true));
    await this.awaitAnswer(() => isPlayed);
    await work();
    await playing;
  }

  /** Waits until both services read from the standby again. */
  async awaitStandby() {
    const isUsed = async (service) => {
      const [only, all] = [[service], this.services];
      this.services = only;
      const { standby } = await this.servedDuring(() => call(service, 'GET', '/user'));
      this.services = all;
      return standby > 0;
    };
    for (const service of this.services) {
      const isBack = await until(() => isUsed(service), SETTLE_MS);
      this.expect(isBack, 'The standby is not used');
    }
  }

  /** Whether commits wait for the standby. */
  async synchronize(name) {
    await this.cluster.primary.rows(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await this.cluster.primary.rows('SELECT pg_reload_conf()');
  }
}

/** Replay that goes on at once may cancel the very statement that lets it. */
const resumeReplay = (standby) =>
  standby.rows('SELECT pg_wal_replay_resume()').catch((error) => {
    if (error.code !== CONFLICT_WITH_RECOVERY) throw error;
  });

/** What is done to the standby; each answers whether it may have answered anything meanwhile. */
const FAULTS = {
  none: async (run, play) => {
    await play();
    return true;
  },
  paused: async (run, play) => {
    await run.cluster.standby.rows('SELECT pg_wal_replay_pause()');
    await run.commit('master', run.acknowledged.commits.get('master') + 1);
    const { standby } = await run.servedDuring(play);
    run.expect(standby === 0, `A standby that is behind has answered ${standby} requests`);
    await resumeReplay(run.cluster.standby);
    return false;
  },
  disconnected: async (run, play) => {
    let isOver = false;
    const disconnect = async () => {
      while (!isOver) {
        await run.awaitAnswer(() => isOver);
        await run.cluster.standby.rows(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        );
      }
    };
    const disconnecting = disconnect();
    await play().finally(() => (isOver = true));
    await disconnecting;
    return true;
  },
  killed: async (run, play) => {
    await run.synchronize('');
    await run.playAmid(play, () => run.cluster.standby.kill());
    await run.cluster.standby.start();
    return true;
  },
  frozen: async (run, play) => {
    await run.synchronize('');
    await run.playAmid(play, () => run.cluster.standby.freeze());
    await run.cluster.standby.kill();
    await run.cluster.standby.start();
    return true;
  },
  promoted: async (run, play) => {
    await run.synchronize('*');
    await run.cluster.failOver('kill');
    const isServed = async () =>
      (await call(run.services[0], 'PUT', run.project, { body: { description: 'x' } })).status ===
      200;
    const areBack = await until(isServed, SETTLE_MS);
    run.expect(areBack, 'Nothing is written after the fail-over');
    await play();
    await run.cluster.replaceStandby();
    return false;
  },
};

const faults = options.faults?.split(',') ?? Object.keys(FAULTS);
const impossible = faults.filter((name) => !(name in FAULTS));
if (impossible.length > 0) throw new Error(`--faults takes ${Object.keys(FAULTS).join(', ')}`);
const scratch = await Scratch.open('trellis-replicas-');

async function runAll() {
  const { folder } = scratch;
  const cluster = await PostgresCluster.start(scratch);
  const { database } = cluster;
  const environment = {
    ...ENVIRONMENT,
    ...{ DATABASE_URL: cluster.url, DATABASE_REPLICA_URLS: cluster.url.split('?')[0] },
  };
  const services = [];
  for (let count = 0; count < 2; count += 1) {
    const service = new Service({
      ...{ main: built('main.js'), folder, roles: ['api'], database, environment },
    });
    scratch.defer(() => service.destroy());
    await service.start();
    services.push(service);
  }
  const run = new Replicas({ cluster, services, random: new Random(options.seed) });
  await run.prepare();
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const fault of faults) {
      await run.awaitStandby();
      const play = () => run.play(Number(options.steps), Number(options.clients));
      let mayAnswer = true;
      const served = await run.servedDuring(async () => {
        let { standby } = await run.servedDuring(async () => {
          mayAnswer = await FAULTS[fault](run, play);
        });
        // On a busy machine few answers come within the time that a request waits for the standby.
        for (let again = 0; mayAnswer && standby === 0 && again < MOST_REPEATS; again += 1) {
          ({ standby } = await run.servedDuring(play));
        }
      });
      const { standby, primary, repeated } = served;
      console.log(`${fault}: standby ${standby}, primary ${primary}, repeated ${repeated}`);
      if (mayAnswer) run.expect(standby > 0, `${fault}: the standby has answered nothing`);
    }
  }
  await run.awaitStandby();
  return run.problems;
}

console.log(`${faults.join(', ')} with --seed ${options.seed}`);
await scratch.judge(runAll, {
  seed: options.seed,
  success: 'No answer was older than what was acknowledged before.',
  most: MOST_PROBLEMS,
});
