import { gitCommands, type GitCommand } from './command-table.js';
import { readGraph } from './commit-graph.js';
import { GitProcessError, ObjectMissingError } from './errors.js';
import type { RunResult } from './launcher.js';
import { LineReply } from './line-reply.js';
import { assertOid, BRANCH_PREFIX } from './names.js';
import type { ObjectReader } from './object-reader.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid } from './types.js';

const END = '#end';

/** Lines changed by a commit; binary files count as none. */
export interface ChangeCounts {
  additions: number;
  deletions: number;
}

/** Questions about two commits; the answers cannot change and are remembered. */
export class Comparisons {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly objects: ObjectReader,
  ) {}

  /**
   * Whether `ancestor` can be reached from `descendant`; a commit is its own ancestor.
   * @throws ObjectMissingError
   */
  async isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    return this.remembered(`ancestor\0${ancestor}\0${descendant}`, () =>
      isAncestor(this.location, ancestor, descendant),
    );
  }

  /**
   * Which of some commits can be reached from another one; found in one walk over what cannot. Of commits that were
   * asked for before, when the other one was an ancestor of what it is now, only what has come since is walked.
   * @throws ObjectMissingError
   */
  async reachable(commits: readonly Oid[], from: Oid): Promise<ReadonlySet<Oid>> {
    const identity = await this.location.identity();
    const { facts } = this.location.runtime.caches;
    const keyOf = (oid: Oid): string => `ancestor\0${oid}\0${from}\0${identity}`;
    const answers = new Map(commits.map((oid) => [oid, facts.get(keyOf(oid))]));
    if ([...answers.values()].includes(undefined)) {
      const before = await this.reachableBefore(commits, from);
      for (const oid of commits) answers.set(oid, answers.get(oid) ?? before.get(oid));
    }
    const unknown = commits.filter((oid) => answers.get(oid) === undefined);
    if (unknown.length > 0) {
      const outside = await commitsOutside(this.location, unknown, from);
      for (const oid of unknown) {
        answers.set(oid, !outside.has(oid));
      }
    }
    for (const [oid, answer] of answers) facts.set(keyOf(oid), answer, 100);
    facts.set(`latest\0${identity}`, from, 100);
    return new Set(commits.filter((oid) => answers.get(oid) === true));
  }

  /** What follows from the answers about the commit that was asked about before. */
  private async reachableBefore(
    commits: readonly Oid[],
    from: Oid,
  ): Promise<ReadonlyMap<Oid, boolean>> {
    const identity = await this.location.identity();
    const { facts } = this.location.runtime.caches;
    const latest = facts.get(`latest\0${identity}`) as Oid | undefined;
    const found = new Map<Oid, boolean>();
    if (latest === undefined || latest === from) return found;
    const known = new Map(
      commits.map((oid) => [oid, facts.get(`ancestor\0${oid}\0${latest}\0${identity}`)]),
    );
    if (![...known.values()].some((answer) => answer !== undefined)) return found;
    const since = await readGraph(this.location, { tips: [from], exclude: [latest] });
    if (since.isCut || since.position(latest) === null) return found;
    for (const [oid, answer] of known) {
      const hasCome = (since.position(oid) ?? Infinity) < since.size;
      if (hasCome) found.set(oid, true);
      else if (answer !== undefined) found.set(oid, answer === true);
    }
    return found;
  }

  /**
   * The best common ancestor, or null for unrelated histories.
   * @throws ObjectMissingError
   */
  async mergeBase(a: Oid, b: Oid): Promise<Oid | null> {
    return this.remembered(`base\0${a}\0${b}`, async () => {
      const { exitCode, stdout } = await compare(
        this.location,
        gitCommands.mergeBase(this.location.path, a, b),
      );
      return exitCode === 0 ? stdout.toString('latin1').trim() : null;
    });
  }

  /** Branches move, so this is asked anew each time. */
  async firstBranchWith(commit: Oid): Promise<string | null> {
    const { requestTimeoutMs } = this.location.runtime;
    await this.location.identity();
    const command = gitCommands.firstBranchWith(this.location.path, commit);
    const { stdout } = await this.location.run(command, { timeoutMs: requestTimeoutMs });
    const name = stdout.toString().trim();
    return name === '' ? null : name.slice(BRANCH_PREFIX.length);
  }

  /**
   * Lines a commit changes against its first parent, a root commit against nothing. Renames count
   * as a deletion and an addition.
   * @throws ObjectMissingError
   */
  async stats(oid: Oid): Promise<ChangeCounts> {
    return this.remembered(`stats\0${oid}`, async () => {
      const commit = await this.objects.commit(oid);
      if (!commit) throw new ObjectMissingError(oid);
      return this.countChanges([oid, ...commit.parents.slice(0, 1)].join(' '));
    });
  }

  private async countChanges(commits: string): Promise<ChangeCounts> {
    let counts: ChangeCounts = { additions: 0, deletions: 0 };
    try {
      await this.location.runtime.pool.request({
        owner: await this.location.identity(),
        command: gitCommands.diffTreeCounts(this.location.path),
        // A line that is no object id comes back as it is, behind the answer.
        input: `${commits}\n${END}\n`,
        reply: () => {
          counts = { additions: 0, deletions: 0 };
          return new LineReply(END, (line) => addCounts(counts, line));
        },
        repeatable: true,
      });
    } catch (error) {
      // What is counted until then is told, as a difference is cut.
      if (!(error instanceof GitProcessError) || !error.isExhausted) throw error;
    }
    return counts;
  }

  private async remembered<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const { facts } = this.location.runtime.caches;
    const key = `${question}\0${await this.location.identity()}`;
    const known = facts.get(key);
    if (known !== undefined) return known as T;
    const answer = await ask();
    facts.set(key, answer, 100);
    return answer;
  }
}

function addCounts(counts: ChangeCounts, line: string): void {
  const match = /^(\d+)\t(\d+)\t/.exec(line);
  counts.additions += Number(match?.[1] ?? 0);
  counts.deletions += Number(match?.[2] ?? 0);
}

/** The same, unremembered and perhaps with the objects of a push that is not accepted yet. */
export async function isAncestor(
  location: RepositoryLocation,
  ancestor: Oid,
  descendant: Oid,
  environment: Record<string, string> = {},
): Promise<boolean> {
  const command = gitCommands.isAncestor(location.path, ancestor, descendant);
  return (await compare(location, command, environment)).exitCode === 0;
}

/** Those of some commits that cannot be reached from another one. */
async function commitsOutside(
  location: RepositoryLocation,
  commits: readonly Oid[],
  from: Oid,
): Promise<Set<Oid>> {
  const asked = new Set(commits);
  const outside = new Set<Oid>();
  let rest = '';
  const { requestTimeoutMs } = location.runtime;
  try {
    await location.run(gitCommands.revListStdin(location.path), {
      timeoutMs: requestTimeoutMs,
      input: [...commits.map(assertOid), `^${assertOid(from)}`, ''].join('\n'),
      onStdout: (chunk) => {
        const lines = (rest + chunk.toString('latin1')).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (asked.has(line)) outside.add(line);
      },
    });
  } catch (error) {
    const bad = /bad (?:object|revision) '?\^?([0-9a-f]{40})?/;
    const match = error instanceof GitProcessError ? bad.exec(error.stderr) : null;
    throw match === null ? error : new ObjectMissingError(match[1] ?? from);
  }
  return outside;
}

/** Runs a `merge-base`, which answers "no" by exit code 1. */
async function compare(
  location: RepositoryLocation,
  command: GitCommand,
  environment: Record<string, string> = {},
): Promise<RunResult> {
  const { requestTimeoutMs } = location.runtime;
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
