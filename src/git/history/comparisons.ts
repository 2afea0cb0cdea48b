import { MIB } from '../model/bytes.js';
import { GitProcessError, ObjectMissingError } from '../model/errors.js';
import { assertOid, type RefPrefix } from '../model/names.js';
import type { Oid } from '../model/types.js';
import type { ObjectReader } from '../objects/object-reader.js';
import { type GitCommand, gitCommands } from '../process/command-table.js';
import type { RunResult } from '../process/launcher.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { readGraph } from './commit-graph.js';

/** What a cached answer takes, beside its key. */
const ANSWER_BYTES = 100;

/** Whether one commit can be reached from another. */
const ANCESTRY = new SharedState(() => new ByteCache<boolean>('ancestry', 4 * MIB));
/** The best common ancestors of two commits. */
const MERGE_BASES = new SharedState(() => new ByteCache<Oid | null>('merge_bases', 1 * MIB));
/** By repository, the commit that `reachable` was called with last. */
const LATEST = new SharedState(() => new ByteCache<Oid>('latest_commits', 1 * MIB));

/** Compares commits. The answers cannot change and are cached. */
export class Comparisons {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly objects: ObjectReader,
  ) {}

  /**
   * Returns whether `ancestor` is reachable from `descendant`. A commit is its own ancestor.
   * @throws ObjectMissingError
   */
  async isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    return this.cached(ANCESTRY, `${ancestor}\0${descendant}`, () =>
      isAncestor(this.location, ancestor, descendant),
    );
  }

  /**
   * Returns which of some commits are reachable from another one, with one walk over those that are not. When
   * the same commits were queried for an ancestor of `from` before, walks only the commits since then.
   * @throws ObjectMissingError
   */
  async reachable(commits: readonly Oid[], from: Oid): Promise<ReadonlySet<Oid>> {
    const identity = await this.location.identity();
    const ancestry = this.location.runtime.shared(ANCESTRY);
    const keyOf = (oid: Oid): string => `${oid}\0${from}\0${identity}`;
    const answers = new Map(commits.map((oid) => [oid, ancestry.get(keyOf(oid))]));
    if ([...answers.values()].includes(undefined)) {
      const before = await this.reachableFromPrevious(commits, from);
      for (const oid of commits) answers.set(oid, answers.get(oid) ?? before.get(oid));
    }
    const unknown = commits.filter((oid) => answers.get(oid) === undefined);
    if (unknown.length > 0) {
      const outside = await commitsOutside(this.location, unknown, from);
      for (const oid of unknown) {
        answers.set(oid, !outside.has(oid));
      }
    }
    for (const [oid, answer] of answers) {
      if (answer !== undefined) ancestry.set(keyOf(oid), answer, ANSWER_BYTES);
    }
    this.location.runtime.shared(LATEST).set(identity, from, ANSWER_BYTES);
    return new Set(commits.filter((oid) => answers.get(oid) === true));
  }

  /**
   * Returns those of some commits from which another one is reachable, with one walk over its descendants. A commit is its own
   * descendant. Commits that do not exist are left out. Not cached, since there may be very many.
   */
  async descendants(commits: readonly Oid[], of: Oid): Promise<ReadonlySet<Oid>> {
    await this.location.identity();
    const command = gitCommands.revListDescendants(this.location.path, of);
    const found = await listedAmong(this.location, command, commits, commits);
    return new Set(commits.filter((oid) => oid === of || found.has(oid)));
  }

  /** Derives answers from those for the commit of the previous call. */
  private async reachableFromPrevious(
    commits: readonly Oid[],
    from: Oid,
  ): Promise<ReadonlyMap<Oid, boolean>> {
    const identity = await this.location.identity();
    const ancestry = this.location.runtime.shared(ANCESTRY);
    const latest = this.location.runtime.shared(LATEST).get(identity);
    const found = new Map<Oid, boolean>();
    if (latest === undefined || latest === from) return found;
    const known = new Map(
      commits.map((oid) => [oid, ancestry.get(`${oid}\0${latest}\0${identity}`)]),
    );
    if (![...known.values()].some((answer) => answer !== undefined)) return found;
    const since = await readGraph(this.location, { tips: [from], exclude: [latest] });
    if (since.isCut || since.position(latest) === null) return found;
    for (const [oid, answer] of known) {
      const hasCome = (since.position(oid) ?? Infinity) < since.size;
      if (hasCome) found.set(oid, true);
      else if (answer !== undefined) found.set(oid, answer);
    }
    return found;
  }

  /**
   * Returns the best common ancestor, null for unrelated histories.
   * @throws ObjectMissingError
   */
  async mergeBase(a: Oid, b: Oid): Promise<Oid | null> {
    return this.cached(MERGE_BASES, `${a}\0${b}`, async () => {
      const { exitCode, stdout } = await compare(
        this.location,
        gitCommands.mergeBase(this.location.path, a, b),
      );
      return exitCode === 0 ? stdout.toString('latin1').trim() : null;
    });
  }

  /** Returns the first refs by name, below some prefixes, that contain a commit. Not cached, since refs move. */
  async refsWith(
    commit: Oid,
    prefixes: readonly RefPrefix[],
    limit: number,
  ): Promise<readonly string[]> {
    const { requestTimeoutMs } = this.location.runtime.limits;
    await this.location.identity();
    const command = gitCommands.refsWith(this.location.path, commit, prefixes, limit);
    const { stdout } = await this.location.run(command, { timeoutMs: requestTimeoutMs });
    const names = stdout.toString().trimEnd();
    return names === '' ? [] : names.split('\n');
  }

  /** Returns the cached answer, or asks and caches the answer. */
  private async cached<T>(
    state: SharedState<ByteCache<T>>,
    question: string,
    ask: () => Promise<T>,
  ): Promise<T> {
    const cache = this.location.runtime.shared(state);
    const key = `${question}\0${await this.location.identity()}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const answer = await ask();
    cache.set(key, answer, ANSWER_BYTES);
    return answer;
  }
}

/** Returns whether `ancestor` is reachable from `descendant`, without cache, optionally with objects in quarantine. */
export async function isAncestor(
  location: RepositoryLocation,
  ancestor: Oid,
  descendant: Oid,
  environment: Record<string, string> = {},
): Promise<boolean> {
  const command = gitCommands.isAncestor(location.path, ancestor, descendant);
  return (await compare(location, command, environment)).exitCode === 0;
}

/** Returns those of some commits that are not reachable from another one. */
async function commitsOutside(
  location: RepositoryLocation,
  commits: readonly Oid[],
  from: Oid,
): Promise<Set<Oid>> {
  const input = [...commits.map(assertOid), `^${assertOid(from)}`];
  try {
    return await listedAmong(location, gitCommands.revListStdin(location.path), input, commits);
  } catch (error) {
    const bad = /bad (?:object|revision) '?\^?([0-9a-f]{40})?/;
    const match = error instanceof GitProcessError ? bad.exec(error.stderr) : null;
    throw match === null ? error : new ObjectMissingError(match[1] ?? from);
  }
}

/** Runs a command that lists commits. @param input its lines @returns those of some commits that it lists */
async function listedAmong(
  location: RepositoryLocation,
  command: GitCommand,
  input: readonly string[],
  commits: readonly Oid[],
): Promise<Set<Oid>> {
  const wanted = new Set(commits);
  const found = new Set<Oid>();
  let rest = '';
  const { requestTimeoutMs } = location.runtime.limits;
  await location.run(command, {
    timeoutMs: requestTimeoutMs,
    input: [...input, ''].join('\n'),
    onStdout: (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (wanted.has(line)) found.add(line);
    },
  });
  return found;
}

/** Runs `merge-base`, which answers "no" by exit code 1. */
async function compare(
  location: RepositoryLocation,
  command: GitCommand,
  environment: Record<string, string> = {},
): Promise<RunResult> {
  const { requestTimeoutMs } = location.runtime.limits;
  try {
    return await location.run(command, {
      timeoutMs: requestTimeoutMs,
      exitCodes: [0, 1],
      environment,
    });
  } catch (error) {
    const missing = /Not a valid (?:commit|object) name ([0-9a-f]{40})/;
    const oid = error instanceof GitProcessError ? missing.exec(error.stderr)?.[1] : undefined;
    throw oid === undefined ? error : new ObjectMissingError(oid);
  }
}

/** A change of the target of a branch. */
export interface BranchMove {
  /** Null for a branch that is new. */
  before: Oid | null;
  after: Oid;
}

/** What a move means for commits that may be merged into the branch. */
export interface MoveEffects {
  /** Whether the branch lost commits. */
  isForced: boolean;
  /** Commits that are reachable from the branch since the move. */
  arrived: ReadonlySet<Oid>;
  /** Commits with an ancestor that is reachable since the move; includes `arrived`. */
  begun: ReadonlySet<Oid>;
}

/**
 * Determines which of some commits a move has brought into a branch, with one walk for all of them.
 * @throws ObjectMissingError
 */
export async function effectsOf(
  location: RepositoryLocation,
  { before, after }: BranchMove,
  commits: readonly Oid[],
): Promise<MoveEffects> {
  const ends = { tips: [after, ...commits], exclude: before === null ? [] : [before] };
  const graph = await readGraph(location, ends);
  const start = graph.position(after);
  const brought = await graph.reach([start === null ? [] : [start]]);
  const isBrought = (position: number | null): boolean =>
    position !== null && brought[position] !== 0;
  // The old target is a parent of the new commits, unless the branch has lost it.
  const isForced = before !== null && before !== after && !isBrought(graph.position(before));
  const isIn = (oid: Oid): boolean => {
    const position = graph.position(oid);
    return position !== null && position < graph.size && isBrought(position);
  };
  const leads = graph.leadsTo((position) => isBrought(position));
  const begun = commits.filter((oid) => leads[graph.position(oid) ?? graph.size] === 1);
  return { isForced, arrived: new Set(commits.filter(isIn)), begun: new Set(begun) };
}
