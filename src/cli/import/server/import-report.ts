/** What is taken over, in the order of the report. */
const KINDS = [
  'users',
  'groups',
  'members',
  'projects',
  'labels',
  'milestones',
  'issues',
  'merge requests',
  'notes',
  'protected branches',
  'deploy keys',
  'hooks',
] as const;

export type Kind = (typeof KINDS)[number];

/** Something that was not taken over, or not as it was. */
export interface Problem {
  readonly what: string;
  readonly reason: string;
}

/** What was taken over and what was not, as it is stored between runs. */
export interface StoredReport {
  readonly counts: Readonly<Partial<Record<string, number>>>;
  readonly problems: readonly Problem[];
  readonly furtherProblems: number;
}

const MAX_PROBLEMS = 10_000;
const SHOWN_PROBLEMS = 200;

/** Collects what an import takes over and what it cannot. */
export class ImportReport {
  private readonly counts: Map<string, number>;
  private readonly problems: Map<string, Problem>;
  private furtherProblems: number;

  constructor(stored?: StoredReport) {
    this.counts = new Map(
      Object.entries(stored?.counts ?? {}).map(([kind, count]) => [kind, count ?? 0]),
    );
    this.problems = new Map((stored?.problems ?? []).map((one) => [keyOf(one), one]));
    this.furtherProblems = stored?.furtherProblems ?? 0;
  }

  add(kind: Kind, count = 1): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + count);
  }

  /** Notes a problem, once. */
  problem(what: string, reason: string): void {
    const problem = { what, reason };
    if (this.problems.size < MAX_PROBLEMS) this.problems.set(keyOf(problem), problem);
    else this.furtherProblems += 1;
  }

  /** Forgets the problems of an earlier run that a repetition looks at again. */
  forget(what: string): void {
    for (const [key, problem] of this.problems) {
      if (problem.what === what) this.problems.delete(key);
    }
  }

  get isComplete(): boolean {
    return this.problems.size === 0;
  }

  toJson(): StoredReport {
    return {
      counts: Object.fromEntries(this.ordered()),
      problems: [...this.problems.values()],
      furtherProblems: this.furtherProblems,
    };
  }

  toText(verb: string): string {
    const counts = this.ordered().map(([kind, count]) => `  ${String(count).padStart(7)} ${kind}`);
    const problems = [...this.problems.values()].map(({ what, reason }) => `  ${what}: ${reason}`);
    const hidden = problems.length - SHOWN_PROBLEMS + this.furtherProblems;
    return [
      ...(counts.length === 0 ? ['There is nothing new.'] : [`${verb}:`, ...counts]),
      ...(problems.length === 0 ? [] : ['Not taken over, or not as it was:']),
      ...problems.slice(0, SHOWN_PROBLEMS),
      ...(hidden > 0 ? [`  and ${String(hidden)} more; --json has them`] : []),
    ].join('\n');
  }

  private ordered(): [string, number][] {
    return KINDS.flatMap((kind): [string, number][] => {
      const count = this.counts.get(kind);
      return count === undefined ? [] : [[kind, count]];
    });
  }
}

const keyOf = ({ what, reason }: Problem): string => `${what}\0${reason}`;
