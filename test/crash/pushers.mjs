import { ZERO } from './ledger.mjs';

const HEADS = 'refs/heads/';
const TAGS = 'refs/tags/';

const ACTIONS = [
  ['branch', 4],
  ['update', 6],
  ['rewrite', 2],
  ['several', 5],
  ['remove', 2],
  ['tag', 3],
  ['trunk', 3],
  ['contended', 2],
];

/** A client that pushes one thing after the other until it is told to stop or is left unanswered. */
export class Pusher {
  #names = 0;
  /** The refs that only this client moves, with their values: by project. */
  #own = new Map();

  constructor({ workspace, ledger, random, owner }) {
    Object.assign(this, { workspace, ledger, random, owner });
  }

  /**
   * @param context `projects()` to push to, `url(project)`, `stopped()`, the `round`, and what to
   *   call when a push begins
   */
  async work(context) {
    // At first all give the same ref of the same project the same value.
    let together = true;
    while (!context.stopped()) {
      const project = together ? context.projects()[0] : this.random.pick(context.projects());
      const updates = together
        ? [await this.#same(`${HEADS}same-${context.round}`)]
        : await this.#plan(project);
      together = false;
      if (context.stopped() || updates.length === 0) continue;
      context.began();
      if (!(await this.#push(project, context.url(project), updates))) return;
    }
  }

  /** Learns what has become of the client's own refs while it was cut off. */
  adopt(project, values) {
    const own = this.#ownOf(project.id);
    for (const ref of own.keys()) {
      const value = values.get(ref) ?? ZERO;
      if (value === ZERO) own.delete(ref);
      else own.set(ref, value);
    }
  }

  async #push(project, url, updates) {
    const { ledger } = this;
    const begun = updates.map((update) => ledger.begin(project.id, update));
    for (const { ref, value, shared } of updates) {
      if (!shared) this.#ownOf(project.id).set(ref, value);
    }
    const refspecs = updates.map(({ ref, value }) => `${value === ZERO ? '' : `+${value}`}:${ref}`);
    const atomic = updates.length > 1 && this.random.chance(0.3);
    const { code, answers, stderr } = await this.workspace.push(url, refspecs, { atomic });
    const told = [...answers.values()];
    const certain = begun.map((update) =>
      ledger.conclude(project.id, update, code === 0 ? 'done' : answers.get(update.ref), told),
    );
    if (certain.every(Boolean)) return true;
    // A refusal says where the ref still stands; silence leaves it open until all is at rest.
    const refused = begun.every(({ state }) => state !== 'unknown');
    if (refused) for (const update of begun) this.#takeBack(project.id, update);
    this.lastError = stderr;
    return refused;
  }

  #takeBack(projectId, { ref, state, shared }) {
    if (state !== 'refused' || shared) return;
    const before = this.ledger
      .updatesOf(projectId, ref)
      .filter((update) => update.state === 'acknowledged')
      .at(-1)?.value;
    if (before === undefined || before === ZERO) this.#ownOf(projectId).delete(ref);
    else this.#ownOf(projectId).set(ref, before);
  }

  async #plan(project) {
    const action = this.random.weighted(ACTIONS);
    switch (action) {
      case 'several':
        return this.#several(project);
      case 'update':
      case 'rewrite':
        return this.#update(project, action === 'rewrite');
      case 'remove':
        return this.#remove(project);
      case 'tag':
        return [await this.#tag(project)];
      case 'trunk':
        return this.owner ? [await this.#trunk(project)] : [await this.#branch(project)];
      case 'contended':
        return [await this.#contended()];
      default:
        return [await this.#branch(project)];
    }
  }

  async #several(project) {
    const updates = [];
    for (let left = this.random.integer(1, 3); left > 0; left -= 1) {
      updates.push(await this.#branch(project));
    }
    updates.push(await this.#tag(project));
    updates.push(...(await this.#update(project, false)), ...(await this.#remove(project)));
    // One push names a ref once.
    const byRef = new Map(updates.map((update) => [update.ref, update]));
    return [...byRef.values()];
  }

  async #branch(project) {
    return { ref: `${HEADS}${this.#name()}`, value: await this.#commit(project, null) };
  }

  async #update(project, rewrite) {
    const known = this.#knownBranches(project);
    if (known.length === 0) return [];
    const [ref, value] = this.random.pick(known);
    return [{ ref, value: await this.#commit(project, rewrite ? null : value) }];
  }

  async #remove(project) {
    const known = [...this.#ownOf(project.id)].filter(([, value]) => value !== ZERO);
    if (known.length === 0) return [];
    return [{ ref: this.random.pick(known)[0], value: ZERO }];
  }

  async #tag(project) {
    const name = this.#name();
    const [, branch] = this.random.pick(this.#knownBranches(project)) ?? [];
    const commit = branch ?? (await this.#commit(project, null));
    const value = this.random.chance(0.5) ? commit : await this.workspace.tag(commit, name);
    return { ref: `${TAGS}${name}`, value };
  }

  /** The branch that is most likely the default one; its history only grows. */
  async #trunk(project) {
    const ref = `${HEADS}master`;
    return { ref, value: await this.#commit(project, this.#ownOf(project.id).get(ref) ?? null) };
  }

  /** All clients give the same ref different values. */
  async #contended() {
    return { ref: `${HEADS}contended`, value: await this.#commit(null, null), shared: true };
  }

  /** All clients give the same ref the same value. */
  async #same(ref) {
    return { ref, value: await this.workspace.sharedCommit(ref), shared: true };
  }

  #commit(project, parent) {
    const size = this.random.chance(0.1) ? this.random.integer(100_000, 400_000) : 500;
    return this.workspace.commit(parent, this.random.bytes(size));
  }

  #knownBranches(project) {
    return [...this.#ownOf(project.id)].filter(
      ([ref, value]) => ref.startsWith(HEADS) && value !== ZERO,
    );
  }

  #ownOf(projectId) {
    const known = this.#own.get(projectId) ?? new Map();
    this.#own.set(projectId, known);
    return known;
  }

  #name() {
    this.#names += 1;
    return `${this.workspace.name}/${this.#names}`;
  }
}
