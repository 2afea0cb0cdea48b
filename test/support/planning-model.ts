/** The people of the model, by what they are in both projects. */
export const ACTORS = ['owner', 'reporter', 'guest'] as const;
export type Actor = (typeof ACTORS)[number];

export const PLACES = ['here', 'there'] as const;
export type Place = (typeof PLACES)[number];

/** What issues are changed by, as it is sent; labels and assignee are for those from reporter on. */
export interface ModelChanges {
  title?: string;
  confidential?: boolean;
  labels?: readonly string[];
  /** Null: nobody. */
  assignee?: Actor | null;
  /** Null: none. */
  milestone?: string | null;
  state_event?: 'close' | 'reopen';
}

export interface ModelIssue {
  readonly place: Place;
  readonly iid: number;
  readonly author: Actor;
  /** When it was made, counted in issues; a moved one keeps its own. */
  readonly made: number;
  title: string;
  confidential: boolean;
  state: 'opened' | 'closed';
  labels: ReadonlySet<string>;
  assignee: Actor | null;
  milestone: string | null;
  readonly notes: Actor[];
  readonly voters: Set<Actor>;
  isMoved: boolean;
}

/** Done, or the status of the refusal. */
export type Outcome = 'done' | 400 | 403 | 404;

const isInsider = (actor: Actor): boolean => actor !== 'guest';

/** Two projects with issues, as docs/reference/issues.md has them. */
export class PlanningModel {
  issues: ModelIssue[] = [];
  readonly labels: Record<Place, Set<string>> = { here: new Set(), there: new Set() };
  readonly milestones: Record<Place, Set<string>> = { here: new Set(), there: new Set() };
  private readonly numbers: Record<Place, number> = { here: 0, there: 0 };
  private made = 0;

  mayRead({ confidential, author, assignee }: ModelIssue, reader: Actor): boolean {
    return !confidential || isInsider(reader) || author === reader || assignee === reader;
  }

  /** Newest first, as the lists have them. */
  listed(place: Place, reader: Actor): ModelIssue[] {
    return this.issues
      .filter((issue) => issue.place === place && this.mayRead(issue, reader))
      .sort((a, b) => b.made - a.made || b.iid - a.iid);
  }

  create(author: Actor, place: Place, changes: ModelChanges & { title: string }): ModelIssue {
    const issue: ModelIssue = {
      ...{ place, author, iid: this.nextNumber(place), made: ++this.made },
      ...{ title: '', confidential: false, state: 'opened', labels: new Set(), assignee: null },
      ...{ milestone: null, notes: [], voters: new Set(), isMoved: false },
    };
    this.apply(issue, author, changes);
    this.issues.push(issue);
    return issue;
  }

  update(actor: Actor, issue: ModelIssue, changes: ModelChanges): Outcome {
    const isTheirs = issue.author === actor || issue.assignee === actor;
    if (!isInsider(actor) && !isTheirs) return 403;
    this.apply(issue, actor, changes);
    if (changes.state_event !== undefined) {
      issue.state = changes.state_event === 'close' ? 'closed' : 'opened';
    }
    return 'done';
  }

  remove(actor: Actor, issue: ModelIssue): Outcome {
    if (actor !== 'owner') return 403;
    this.issues = this.issues.filter((one) => one !== issue);
    return 'done';
  }

  /** What goes on in the other project, or why it does not. */
  move(actor: Actor, issue: ModelIssue): ModelIssue | Outcome {
    if (!isInsider(actor) || issue.isMoved) return 400;
    const place = issue.place === 'here' ? 'there' : 'here';
    const moved: ModelIssue = {
      ...issue,
      ...{ place, iid: this.nextNumber(place) },
      labels: new Set([...issue.labels].filter((label) => this.labels[place].has(label))),
      milestone: this.milestones[place].has(issue.milestone ?? '') ? issue.milestone : null,
      ...{ notes: [...issue.notes], voters: new Set(issue.voters) },
    };
    this.issues.push(moved);
    issue.isMoved = true;
    issue.state = 'closed';
    return moved;
  }

  comment(actor: Actor, issue: ModelIssue): Outcome {
    if (!this.mayRead(issue, actor)) return 404;
    issue.notes.push(actor);
    return 'done';
  }

  /** Nobody votes for what is their own, or twice. */
  vote(actor: Actor, issue: ModelIssue): Outcome {
    const isOwn = issue.author === actor;
    if (!this.mayRead(issue, actor) || isOwn || issue.voters.has(actor)) return 404;
    issue.voters.add(actor);
    return 'done';
  }

  renameLabel(actor: Actor, place: Place, from: string, to: string): Outcome {
    if (!isInsider(actor)) return 403;
    if (!this.labels[place].has(from)) return 404;
    if (from !== to && this.labels[place].has(to)) return 400;
    this.labels[place].delete(from);
    this.labels[place].add(to);
    for (const issue of this.labelled(place, from)) {
      issue.labels = new Set([...issue.labels].map((label) => (label === from ? to : label)));
    }
    return 'done';
  }

  removeLabel(actor: Actor, place: Place, name: string): Outcome {
    if (!isInsider(actor)) return 403;
    if (!this.labels[place].delete(name)) return 404;
    for (const issue of this.labelled(place, name)) {
      issue.labels = new Set([...issue.labels].filter((label) => label !== name));
    }
    return 'done';
  }

  private labelled(place: Place, name: string): ModelIssue[] {
    return this.issues.filter((issue) => issue.place === place && issue.labels.has(name));
  }

  private nextNumber(place: Place): number {
    this.numbers[place] += 1;
    return this.numbers[place];
  }

  private apply(issue: ModelIssue, actor: Actor, changes: ModelChanges): void {
    issue.title = changes.title ?? issue.title;
    issue.confidential = changes.confidential ?? issue.confidential;
    if (!isInsider(actor)) return;
    if (changes.labels !== undefined) {
      for (const label of changes.labels) this.labels[issue.place].add(label);
      issue.labels = new Set(changes.labels);
    }
    if (changes.assignee !== undefined) issue.assignee = changes.assignee;
    if (changes.milestone !== undefined) issue.milestone = changes.milestone;
  }
}
