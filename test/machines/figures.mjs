// What a site achieves: through two machines against one, and with its shared storage against a local disk. All in turns, as
// ratios of one run.
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../../bench/statistics.mjs';
import { call } from '../crash/creators.mjs';
import { until } from '../crash/processes.mjs';
import { TOKEN } from '../crash/service.mjs';
import { Workspace } from '../crash/workspace.mjs';
import { Receiver } from '../faults/receiver.mjs';
import { CpuShare } from './cpu-share.mjs';
import { addOwnHost } from './network.mjs';

const ROUNDS = 4;
const READ_MS = 1_500;
const CONNECTIONS = 8;
const PUSHES = 3;
const FILES = 30;
/** Of a processor, for api and worker of a machine together. */
const SHARE = 0.25;
const SCALING_ROUNDS = 3;
/** Of a processor, for a worker: little, so that api, stores and receivers keep up with two of them. */
const WORKER_SHARE = 0.15;
/** Each on a host of its own, since a worker gives one host half of its slots. */
const RECEIVERS = 4;
const FLOODED_PROJECTS = 4;
/** Deliveries that wait for the workers at any time. */
const BACKLOG = 400;
/** Deliveries after which workers are warm. */
const WARM = 2_000;
const DELIVERIES_MS = 8_000;
const POSTED_MS = 10_000;
const WARM_MS = 60_000;
const LOOK_MS = 10;

/** Prints what the first machine achieves with the shared storage, against its own disk. */
export async function storageFigures({ site, scratch }) {
  const service = site.services[0];
  const shared = await makeProject(service, 'shared', 'default');
  const local = await makeProject(service, 'local', 'near');
  const workspace = new Workspace(path.join(scratch.folder, 'figures'), 'figures');
  await workspace.create();
  const reads = {
    'list of commits': (id) => `/projects/${id}/repository/commits`,
    'list of branches': (id) => `/projects/${id}/repository/branches`,
    'raw file, warm': (id) => `/projects/${id}/repository/blobs/master?filepath=file-1`,
    'raw files in turn': (id, n) =>
      `/projects/${id}/repository/blobs/master?filepath=file-${n % FILES}`,
  };
  const compare = async (name, unit, measure) => {
    const pairs = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = round % 2 === 0 ? [local, shared] : [shared, local];
      const found = new Map();
      for (const project of order) found.set(project, await measure(project));
      pairs.push([found.get(shared), found.get(local)]);
    }
    printPairs(name, unit, pairs, 'on a local disk');
  };
  for (const [name, address] of Object.entries(reads)) {
    await compare(name, 'a second', ({ id }) => rate(service.url, (n) => address(id, n)));
  }
  const push = pusher(service, workspace);
  await compare('push of a commit', 'a second', (project) => pushRate(() => push(project)));
  await compare('three pushes at once', 'a second', (project) => pushRate(() => push(project, 3)));
  await compare('commit by the API', 'a second', (project) =>
    pushRate(() => commit(service, project)),
  );
}

async function makeProject(service, name, storage) {
  await must(
    call('PUT', `${service.url}/api/v3/application/settings`, { repository_storages: [storage] }),
  );
  const { id, path: own } = await must(call('POST', `${service.url}/api/v3/projects`, { name }));
  const actions = Array.from({ length: FILES }, (_, n) => ({
    ...{ action: 'create', file_path: `file-${n}`, content: `${n} `.repeat(2_000) },
  }));
  const body = { branch_name: 'master', commit_message: 'First', actions };
  await must(call('POST', `${service.url}/api/v3/projects/${id}/repository/commits`, body));
  await must(
    call('PUT', `${service.url}/api/v3/application/settings`, { repository_storages: ['default'] }),
  );
  return { id, path: own };
}

async function must(answer) {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/** Prints how many reads two machines answer against one, where each has a part of a processor. */
export async function readFigures({ site, scratch }) {
  const shares = [];
  scratch.defer(() => Promise.all(shares.map((share) => share.remove())));
  for (const service of site.services) {
    const share = await CpuShare.make(SHARE);
    shares.push(share);
    for (const role of service.roles) await share.add(service.pid(role));
  }
  const [first, second] = site.services;
  const read = (...services) =>
    rate(
      services.map(({ url }) => url),
      () => '/projects',
    );
  await read(first, second);
  const pairs = [];
  for (let round = 0; round < SCALING_ROUNDS; round += 1) {
    const one = await read(first);
    pairs.push([await read(first, second), one]);
  }
  printPairs('reads through two machines', 'a second', pairs, 'through one');
}

/** Prints how many deliveries the workers of two machines make against that of one, where each has a part of a processor. */
export async function deliveryFigures({ site, scratch }) {
  const [first, second] = site.services;
  const flood = new Flood(first, scratch);
  await flood.begin();
  const restrict = async (service) => {
    const share = await CpuShare.make(WORKER_SHARE);
    scratch.defer(() => share.remove());
    await share.add(service.pid('worker'));
  };
  await restrict(first);
  const pairs = [];
  for (let round = 0; round < SCALING_ROUNDS; round += 1) {
    await second.stop('worker');
    const one = await flood.rate();
    await second.start();
    await restrict(second);
    pairs.push([await flood.rate(), one]);
  }
  await flood.end();
  printPairs('deliveries by two machines', 'a second', pairs, 'by one');
}

/** Issues, each delivered to every receiver, so many that workers always have more to deliver. */
class Flood {
  #receivers = [];
  #projects = [];
  #posting;
  #posted = 0;
  #isOver = false;

  constructor(service, scratch) {
    Object.assign(this, { service, scratch });
  }

  async begin() {
    for (let n = 0; n < RECEIVERS; n += 1) this.#receivers.push(await this.#receiver());
    for (let n = 0; n < FLOODED_PROJECTS; n += 1) this.#projects.push(await this.#project());
    this.#posting = Promise.all(Array.from({ length: CONNECTIONS }, () => this.#post()));
  }

  async end() {
    this.#isOver = true;
    await this.#posting;
  }

  /** Deliveries a second. */
  async rate() {
    const before = this.#answered();
    const isWarm = () => this.#answered() - before >= WARM;
    if (!(await until(isWarm, WARM_MS))) throw new Error('Deliveries do not arrive');
    const [first, begun] = [this.#answered(), performance.now()];
    await delay(DELIVERIES_MS);
    return (1_000 * (this.#answered() - first)) / (performance.now() - begun);
  }

  #answered() {
    return this.#receivers.reduce((sum, { answered }) => sum + answered, 0);
  }

  async #receiver() {
    const manner = ({ response, succeed }) => {
      response.once('finish', succeed);
      response.end('ok');
    };
    const receiver = new Receiver('flood', manner, await addOwnHost());
    this.scratch.defer(() => receiver.stop());
    await receiver.start();
    return receiver;
  }

  async #project() {
    const { url } = this.service;
    const { id } = await must(call('POST', `${url}/api/v3/projects`, { name: nextName() }));
    for (const receiver of this.#receivers) {
      const hook = { url: receiver.url, push_events: false, issues_events: true };
      await must(call('POST', `${url}/api/v3/projects/${id}/hooks`, hook));
    }
    return id;
  }

  async #post() {
    while (!this.#isOver) {
      if (this.#posted * RECEIVERS - this.#answered() >= BACKLOG) {
        await delay(LOOK_MS);
        continue;
      }
      const project = this.#projects[this.#posted % FLOODED_PROJECTS];
      this.#posted += 1;
      const url = `${this.service.url}/api/v3/projects/${project}/issues`;
      const post = () => call('POST', url, { title: nextName() });
      // A busy server closes connections that were idle when a request is on its way.
      await must(await until(post, POSTED_MS));
    }
  }
}

function printPairs(name, unit, pairs, against) {
  const ratio = median(pairs.map(([ours, theirs]) => ours / theirs));
  const [ours, theirs] = [0, 1].map((at) => median(pairs.map((pair) => pair[at])).toFixed(1));
  console.log(`${name}: ${ours} ${unit}, ${against} ${theirs}: ${ratio.toFixed(2)}`);
}

/** Requests answered a second, over a few connections. */
export async function rate(urls, address) {
  const bases = [urls].flat();
  const end = performance.now() + READ_MS;
  const begun = performance.now();
  let done = 0;
  const one = async (connection) => {
    for (let n = connection; performance.now() < end; n += CONNECTIONS) {
      const url = `${bases[n % bases.length]}/api/v3${address(n)}`;
      const response = await fetch(url, { headers: { 'PRIVATE-TOKEN': TOKEN } });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => one(index)));
  return (1_000 * done) / (performance.now() - begun);
}

let names = 0;
const nextName = () => `figure-${(names += 1)}`;

/** Returns what pushes some new branches at once, and answers how long one of them takes on average. */
function pusher(service, workspace) {
  return async (project, count = 1) => {
    const refspecs = [];
    while (refspecs.length < count) {
      const name = nextName();
      const commit = await workspace.commit(null, Buffer.from(name));
      refspecs.push(`${commit}:refs/heads/${name}`);
    }
    const url = `${service.url}/root/${project.path}.git`;
    const begun = performance.now();
    const pushes = await Promise.all(refspecs.map((refspec) => workspace.push(url, [refspec])));
    const failed = pushes.find(({ code }) => code !== 0);
    if (failed !== undefined) throw new Error(failed.stderr);
    return (performance.now() - begun) / count;
  };
}

async function commit(service, { id }) {
  const name = nextName();
  const actions = [{ action: 'create', file_path: name, content: name }];
  const body = { branch_name: 'master', commit_message: name, actions };
  const begun = performance.now();
  await must(call('POST', `${service.url}/api/v3/projects/${id}/repository/commits`, body));
  return performance.now() - begun;
}

async function pushRate(push) {
  const times = [];
  for (let n = 0; n < PUSHES; n += 1) times.push(await push());
  return 1_000 / median(times);
}
