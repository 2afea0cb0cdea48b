// What the clients asked for and what they were told: the rounds hold the service to it.
export const ZERO = '0'.repeat(40);

/** Why a ref may be refused although nothing is wrong. */
const RULES = [
  'Cannot remove HEAD branch',
  'You are not allowed to delete protected branches from this project.',
  'You are not allowed to force push code to a protected branch on this project.',
];
const WITH_OTHERS = 'pre-receive hook declined';
/** Also where the database is known to be away. */
const UNCHECKED = 'nothing was changed.';
const byRule = (answer) => RULES.some((rule) => answer?.includes(rule));

/** What the slower one of two that push the same ref is told. */
const RACES = [
  /failed to update ref/,
  /cannot lock ref/,
  /incorrect old value/,
  /reference already exists/,
];

export class Ledger {
  /** Ref updates in the order in which they were begun, by project and ref. */
  #updates = new Map();
  /** Projects by name: `unknown`, `there` or `refused`. */
  creations = new Map();
  /** Projects that somebody has asked to delete: `unknown` or `gone`. */
  deletions = new Map();
  /** Projects whose refs are not those of the pushers. */
  unwatched = new Set();
  problems = [];
  acknowledged = 0;
  unanswered = 0;
  /** Whether the database was killed under a running service in this round. */
  databaseLost = false;
  /**
   * How many creations may have been begun twice by the service, since their connection was lost before the commit. The
   * repository of the first time, empty, is left to the sweep.
   */
  begunTwice = 0;

  begin(projectId, { ref, value, shared }) {
    const update = { ref, value, shared, state: 'unknown' };
    this.updatesOf(projectId, ref).push(update);
    return update;
  }

  /**
   * Takes down what the client was told; answers whether the ref has the value for certain.
   * @param others what it was told of the other refs of the same push
   */
  conclude(projectId, update, answer, others = []) {
    if (answer === 'done' || answer === 'unchanged') {
      update.state = 'acknowledged';
      this.acknowledged += 1;
      return true;
    }
    if (answer === null || answer === undefined) {
      this.unanswered += 1;
      return false;
    }
    update.state = 'refused';
    if (!this.#mayBeRefused(projectId, update, answer, others)) {
      this.problems.push(`project ${projectId}: ${update.ref} is refused: ${answer}`);
    }
    return false;
  }

  #mayBeRefused(projectId, { shared }, answer, others) {
    if (byRule(answer) || this.deletions.has(projectId)) return true;
    if (shared && RACES.some((race) => race.test(answer))) return true;
    if (this.databaseLost && answer.includes(UNCHECKED)) return true;
    return answer.includes(WITH_OTHERS) && others.some(byRule);
  }

  updatesOf(projectId, ref) {
    const key = `${projectId} ${ref}`;
    const known = this.#updates.get(key);
    if (known !== undefined) return known;
    const list = [];
    this.#updates.set(key, list);
    return list;
  }

  /** The refs of a project that somebody has tried to move. */
  refsOf(projectId) {
    const prefix = `${projectId} `;
    return [...this.#updates.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
  }

  /**
   * Whether a ref may have a value now: the last one that was acknowledged, or one that was tried
   * later. A ref that several clients move may have any value of theirs.
   */
  allows(projectId, ref, value) {
    const updates = this.updatesOf(projectId, ref).filter(({ state }) => state !== 'refused');
    const last = updates.findLastIndex(({ state }) => state === 'acknowledged');
    if (last < 0 && value === ZERO) return true;
    const shared = updates.some((update) => update.shared);
    const possible = updates.slice(shared ? 0 : Math.max(last, 0));
    return possible.some((update) => update.value === value);
  }

  /** A ref's value was looked up while all was at rest: what was tried and failed is over. */
  resolve(projectId, ref, value) {
    for (const update of this.updatesOf(projectId, ref)) {
      if (update.state !== 'unknown') continue;
      update.state = update.value === value ? 'acknowledged' : 'superseded';
    }
  }
}
