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

export type ImportedKind = (typeof KINDS)[number];

type Counts = Readonly<Partial<Record<string, number>>>;

/** Something that was not taken over, or not as it was. */
export interface Problem {
  readonly what: string;
  readonly reason: string;
}

/** What was taken over and what was not, as it is stored between runs. */
export interface StoredReport {
  readonly counts: Counts;
  /** By the group, project or user; absent in files of version 0.1. */
  readonly countsByPlace?: Readonly<Record<string, Counts>>;
  readonly problems: readonly Problem[];
  readonly furtherProblems: number;
}

const MAX_PROBLEMS = 10_000;
const SHOWN_PROBLEMS = 200;

/** Collects what an import takes over and what it cannot. */
export class ImportReport {
  private readonly counts: Map<string, Counts>;
  private readonly problems: Map<string, Problem>;
  private furtherProblems: number;

  constructor(stored?: StoredReport) {
    this.counts = new Map(Object.entries(stored?.countsByPlace ?? { '': stored?.counts ?? {} }));
    this.problems = new Map((stored?.problems ?? []).map((one) => [keyOf(one), one]));
    this.furtherProblems = stored?.furtherProblems ?? 0;
  }

  /** @param place the group, project or user that is counted, or has what is counted */
  add(place: string, kind: ImportedKind, count = 1): void {
    const counts = this.counts.get(place) ?? {};
    this.counts.set(place, { ...counts, [kind]: (counts[kind] ?? 0) + count });
  }

  /** Notes a problem, once. */
  problem(what: string, reason: string): void {
    const problem = { what, reason };
    if (this.problems.size < MAX_PROBLEMS) this.problems.set(keyOf(problem), problem);
    else this.furtherProblems += 1;
  }

  /** Forgets the counts and problems of an earlier run that a repetition looks at again. */
  forget(what: string): void {
    this.counts.delete(what);
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
      countsByPlace: Object.fromEntries(this.counts),
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
      const counts = [...this.counts.values()].flatMap(({ [kind]: count }) => count ?? []);
      return counts.length === 0 ? [] : [[kind, counts.reduce((sum, count) => sum + count)]];
    });
  }
}

const keyOf = ({ what, reason }: Problem): string => `${what}\0${reason}`;
