// Another user of the service, in a process of its own: asks /healthz, GET /user and a small clone ten
// times a second, and samples the memory of the service's processes meanwhile. Each is asked twice: over connections
// that are kept, and over a new one for every request. The service accepts one connection in each turn of its event
// loop, so that newcomers may wait long where kept connections are served.
//
// The parent process sends `begin` with what to ask, `state` for how things stand, `reset` to forget what
// is done, and `end` for all records. Times are milliseconds of this process's clock.
import { Agent, request } from 'node:http';
import { KINDS, NEW } from './figures.mjs';
import { ProcessSampler } from './process-sampler.mjs';

const EVERY_MS = 100;
const SAMPLE_EVERY_MS = 50;
/** Timers that are later than this by their own clock are a delay of this process. */
const TOLERATED_DELAY_MS = 10;
/** Further requests of a kind wait in this process; the time they wait counts. */
const SOCKETS_PER_KIND = 8;
const MOST_CLONES_AT_ONCE = 2;
/** So that budgets by address do not count this user together with the attacker. */
const OWN_ADDRESS = '127.0.0.77';

let run;

process.on('message', ({ type, ...options }) => {
  if (type === 'begin') run = new Run(options);
  if (type === 'reset') process.send({ type, ...run.reset() });
  if (type === 'state') process.send({ type, ...run.state() });
  if (type === 'end') process.send({ type, ...run.end() });
});
process.on('disconnect', () => process.exit());

class Run {
  #records = [];
  #stalls = [];
  #peaks = { apiBytes: 0, childBytes: 0, children: 0 };
  #coreWaits = [];
  #timers = [];
  /** How many run, by kind. */
  #cloning = { clone: 0, [`${NEW}clone`]: 0 };

  /** @param service `url`, `pids`; @param user `token`, `basic`, `clone` (path of a repository) */
  constructor({ service, user }) {
    Object.assign(this, { service, user });
    this.sampler = new ProcessSampler(service.pids);
    const asked = { healthz: this.#healthz, user: this.#user, clone: this.#clone };
    const names = Object.keys(asked);
    this.agents = Object.fromEntries(
      names.flatMap((name) => [
        [name, makeAgent({ keepAlive: true })],
        [`${NEW}${name}`, makeAgent({ keepAlive: false })],
      ]),
    );
    this.#every(EVERY_MS, () => {
      for (const kind of KINDS)
        this.#ask(kind, () => asked[kind.replace(NEW, '')].call(this, kind));
    });
    this.#every(SAMPLE_EVERY_MS, () => this.#sample());
  }

  /** How long the oldest request has waited, and how the last one of each kind ended. */
  state() {
    const now = performance.now();
    const open = this.#records.filter(({ done }) => done === undefined);
    const last = {};
    for (const { kind, done, ok, sent } of this.#records) {
      if (done !== undefined) last[kind] = { ok, ms: done - sent };
    }
    return { waitingMs: now - Math.min(now, ...open.map(({ sent }) => sent)), last };
  }

  /** Begins anew: what the first requests cost a service that has just started says nothing. */
  reset() {
    this.#records = this.#records.filter(({ done }) => done === undefined);
    this.#peaks = { apiBytes: 0, childBytes: 0, children: 0 };
    return {};
  }

  end() {
    for (const timer of this.#timers) clearInterval(timer);
    const ended = performance.now();
    for (const agent of Object.values(this.agents)) agent.destroy();
    const coreWaits = this.#coreWaits;
    const [records, stalls, peaks] = [this.#records, this.#stalls, this.#peaks];
    return { ended, records, stalls, peaks, coreWaits };
  }

  #every(ms, step) {
    let due = performance.now() + ms;
    const timer = setInterval(() => {
      const now = performance.now();
      if (now - due > TOLERATED_DELAY_MS) this.#stalls.push([due, now]);
      due = now + ms;
      step();
    }, ms);
    this.#timers.push(timer);
  }

  #sample() {
    const { coreWaitMs, ...sizes } = this.sampler.sample();
    this.#coreWaits.push([performance.now(), coreWaitMs]);
    for (const [name, value] of Object.entries(sizes)) {
      this.#peaks[name] = Math.max(this.#peaks[name], value);
    }
  }

  #ask(kind, ask) {
    if (this.#cloning[kind] >= MOST_CLONES_AT_ONCE) return;
    const record = { kind, sent: performance.now() };
    this.#records.push(record);
    if (kind in this.#cloning) this.#cloning[kind] += 1;
    ask()
      .catch((error) => String(error.code ?? error.message))
      .then((answer) => {
        Object.assign(record, { done: performance.now(), ok: answer === true });
        if (answer !== true) record.answer = answer;
        if (kind in this.#cloning) this.#cloning[kind] -= 1;
      });
  }

  async #healthz(kind) {
    const { status } = await this.#send(kind, { path: '/healthz' });
    return status === 200 || status;
  }

  async #user(kind) {
    const headers = { 'PRIVATE-TOKEN': this.user.token };
    const { status } = await this.#send(kind, { path: '/api/v3/user', headers });
    return status === 200 || status;
  }

  /** The two requests of a clone as git makes them, without the cost of git's processes. */
  async #clone(kind) {
    const headers = { Authorization: this.user.basic };
    const service = 'git-upload-pack';
    const refs = await this.#send(kind, {
      path: `${this.user.clone}/info/refs?service=${service}`,
      headers,
    });
    if (refs.status !== 200) return refs.status;
    const [, head] = /([0-9a-f]{40}) HEAD/.exec(refs.body.toString('latin1')) ?? [];
    const pack = await this.#send(kind, {
      method: 'POST',
      path: `${this.user.clone}/${service}`,
      headers: { ...headers, 'Content-Type': `application/x-${service}-request` },
      body: `0032want ${head}\n00000009done\n`,
    });
    return (pack.status === 200 && pack.body.includes('PACK')) || pack.status;
  }

  #send(kind, { body = '', ...options }) {
    return new Promise((resolve, reject) => {
      const sent = request(this.service.url, { agent: this.agents[kind], ...options });
      sent.once('error', reject);
      sent.once('response', (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode, body: Buffer.concat(chunks) }),
        );
      });
      sent.end(body);
    });
  }
}

const makeAgent = (options) =>
  new Agent({ ...options, maxSockets: SOCKETS_PER_KIND, localAddress: OWN_ADDRESS });
