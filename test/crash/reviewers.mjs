// A client that reviews a merge request: draft notes, threads, approvals, releases, some of it twice at once.
import { call } from './creators.mjs';

const DRAFTS = 4;
const AWAY = [500, 502, 503];

export class Reviewer {
  #numbers = 0;
  /** By the text of their notes: `unknown` or `published`. */
  #batches = new Map();
  /** Threads whose resolution was acknowledged. */
  #resolved = new Set();
  #counts = { published: 0, torn: 0, resolved: 0, released: 0, approved: 0 };
  /** By tag: `unknown` or `there`. */
  #releases = new Map();
  /** What the reviewer last asked for, and was told. */
  #approval = { wanted: false, isKnown: true };

  constructor({ name, ledger, random }) {
    Object.assign(this, { name, ledger, random });
  }

  /** Makes the project and the merge request. */
  async prepare(url) {
    const must = async (method, path, body) => {
      const answer = await call(method, `${url}/api/v4${path}`, body);
      if (answer === null || answer.status >= 300) {
        throw new Error(`${method} ${path} answers ${JSON.stringify(answer)}`);
      }
      return answer.body;
    };
    const person = { name: 'Author', username: 'author', email: 'author@example.com' };
    const password = 'password of the author';
    const author = await must('POST', '/users', { ...person, password, skip_confirmation: true });
    const { id } = await must('POST', '/projects', { name: this.name });
    this.ledger.creations.set(this.name, { state: 'there', id });
    this.ledger.unwatched.add(id);
    this.project = `/projects/${id}`;
    await must('POST', `${this.project}/members`, { user_id: author.id, access_level: 30 });
    const commit = (branch, start) =>
      must('POST', `${this.project}/repository/commits`, {
        ...{ branch, commit_message: branch, ...(start ? { start_branch: start } : {}) },
        actions: [{ action: 'create', file_path: `${branch}.txt`, content: 'text\n' }],
      });
    await commit('main');
    await commit('topic', 'main');
    const { iid } = await must('POST', `${this.project}/merge_requests?sudo=author`, {
      ...{ source_branch: 'topic', target_branch: 'main', title: 'Topic' },
    });
    this.request = `${this.project}/merge_requests/${iid}`;
  }

  async work({ base, stopped, pause }) {
    const steps = [this.#publish, this.#resolve, this.#release, this.#approve];
    while (!stopped()) {
      const step = steps[this.random.integer(0, steps.length - 1)];
      if (!(await step.call(this, `${base}/api/v4`))) return;
      await pause(this.random.integer(0, 30));
    }
  }

  /** Whether an answer of one of these statuses came. */
  #expect(what, answer, ...statuses) {
    if (answer === null) return false;
    if (statuses.includes(answer.status)) return true;
    if (!AWAY.includes(answer.status)) {
      this.ledger.problems.push(`${what} answers ${JSON.stringify(answer)}`);
    }
    return false;
  }

  #unique(kind) {
    this.#numbers += 1;
    return `${kind}-${this.#numbers}`;
  }

  async #publish(api) {
    const drafts = `${api}${this.request}/draft_notes`;
    const note = this.#unique('batch');
    for (let count = 0; count < DRAFTS; count += 1) {
      const answer = await call('POST', drafts, { note });
      if (!this.#expect('drafting', answer, 201)) return false;
    }
    this.#batches.set(note, 'unknown');
    const answer = await call('POST', `${drafts}/bulk_publish`);
    if (!this.#expect('publishing', answer, 204)) return false;
    this.#batches.set(note, 'published');
    this.#counts.published += 1;
    return true;
  }

  async #resolve(api) {
    const discussions = `${api}${this.request}/discussions`;
    const begun = await call('POST', discussions, { body: this.#unique('thread') });
    if (!this.#expect('discussing', begun, 201)) return false;
    const thread = `${discussions}/${begun.body.id}`;
    const both = await Promise.all([1, 2].map(() => call('PUT', thread, { resolved: true })));
    if (!both.every((answer) => this.#expect('resolving', answer, 200))) return false;
    this.#resolved.add(begun.body.id);
    this.#counts.resolved += 1;
    return true;
  }

  async #release(api) {
    const tag = this.#unique('v');
    this.#releases.set(tag, 'unknown');
    const release = { tag_name: tag, ref: 'main', description: tag };
    const releases = `${api}${this.project}/releases`;
    const both = await Promise.all([1, 2].map(() => call('POST', releases, release)));
    if (!both.every((answer) => this.#expect('releasing', answer, 201, 409))) return false;
    const made = both.filter(({ status }) => status === 201).length;
    if (made !== 1) this.ledger.problems.push(`${made} of two releases of ${tag} were made`);
    this.#releases.set(tag, 'there');
    this.#counts.released += 1;
    return true;
  }

  async #approve(api) {
    const wanted = !this.#approval.wanted;
    this.#approval = { wanted, isKnown: false };
    const commit = {
      ...{ branch: 'topic', commit_message: 'Go on' },
      actions: [{ action: 'create', file_path: this.#unique('file'), content: 'text\n' }],
    };
    // Approvals of this project outlast pushes.
    const [answer, pushed] = await Promise.all([
      call('POST', `${api}${this.request}/${wanted ? 'approve' : 'unapprove'}`),
      call('POST', `${api}${this.project}/repository/commits`, commit),
    ]);
    const isPushed = this.#expect('committing', pushed, 201);
    if (!this.#expect('approving', answer, 201) || !isPushed) return false;
    this.#approval.isKnown = true;
    this.#counts.approved += 1;
    return true;
  }

  summary() {
    const { published, torn, resolved, released, approved } = this.#counts;
    return (
      `${published} batches of drafts published, ${torn} unanswered; ${resolved} threads resolved, ` +
      `${released} releases, ${approved} approvals and their ends`
    );
  }

  /** @returns what is wrong once the service is there again */
  async check(url) {
    const api = `${url}/api/v4`;
    return [
      ...(await this.#checkBatches(api)),
      ...(await this.#checkThreads(api)),
      ...(await this.#checkReleases(api)),
      ...(await this.#checkApproval(api)),
    ];
  }

  async #checkBatches(api) {
    const problems = [];
    const drafts = await all(`${api}${this.request}/draft_notes`);
    const notes = await all(`${api}${this.request}/notes`);
    const count = (rows, key, text) => rows.filter((row) => row[key] === text).length;
    for (const [text, state] of this.#batches) {
      if (state === 'unknown') this.#counts.torn += 1;
      const published = count(notes, 'body', text);
      const left = count(drafts, 'note', text);
      const isWhole = published === DRAFTS && left === 0;
      const isUntouched = state === 'unknown' && published === 0 && left === DRAFTS;
      if (!isWhole && !isUntouched) {
        problems.push(`${text} (${state}): ${published} notes and ${left} drafts`);
      }
    }
    // What is left is of rounds that are over; a later batch would publish it.
    for (const { id } of drafts) await call('DELETE', `${api}${this.request}/draft_notes/${id}`);
    this.#batches.clear();
    return problems;
  }

  async #checkThreads(api) {
    const problems = [];
    for (const id of this.#resolved) {
      const { body } = await call('GET', `${api}${this.request}/discussions/${id}`);
      if (body.notes?.[0]?.resolved !== true) problems.push(`thread ${id} is not resolved`);
    }
    this.#resolved.clear();
    return problems;
  }

  async #checkReleases(api) {
    const problems = [];
    for (const [tag, state] of this.#releases) {
      const release = await call('GET', `${api}${this.project}/releases/${tag}`);
      const named = await call('GET', `${api}${this.project}/repository/tags/${tag}`);
      const isThere = release.status === 200 && named.status === 200;
      const isAbsent = release.status === 404;
      if (!(isThere || (state === 'unknown' && isAbsent))) {
        problems.push(`release ${tag} (${state}): ${release.status}, its tag ${named.status}`);
      }
    }
    this.#releases.clear();
    return problems;
  }

  async #checkApproval(api) {
    const { body } = await call('GET', `${api}${this.request}/approvals`);
    const { wanted, isKnown } = this.#approval;
    if (isKnown && body.user_has_approved !== wanted) return [`approved is not ${wanted}`];
    this.#approval = { wanted: body.user_has_approved, isKnown: true };
    return [];
  }
}

/** Reads all pages of a list. */
async function all(url) {
  const rows = [];
  for (let page = 1; ; page += 1) {
    const { body } = await call('GET', `${url}?per_page=100&page=${page}`);
    rows.push(...body);
    if (body.length < 100) return rows;
  }
}
