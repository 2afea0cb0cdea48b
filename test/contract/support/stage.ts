import { type MadeGroup, type MadeProject, type Person } from '../../support/factories.js';
import type { Trellis } from '../../support/trellis.js';
import { type ObjectKind, type State, StoredState } from './stored-state.js';
import { type Caller, CALLERS, LEVELS, SHARED_LEVEL, type Visibility } from './expectation.js';

/** How the members of a project became its members. */
export type Way = 'direct' | 'group' | 'share';

/** Where an object stands: those of one place are alike. */
export interface Place {
  readonly visibility: Visibility;
  readonly way: Way;
}

interface Made {
  readonly id: number;
  /** As it was made. */
  readonly state: State;
}

/** Without statistics, PostgreSQL looks up where a project was forked from by going through all projects. */
const ANALYZE_EVERY = 50;

const VISIBILITY_LEVELS: Readonly<Record<Visibility, number>> = {
  private: 0,
  internal: 10,
  public: 20,
};

/** The callers as accounts, and projects and groups on which each of them has the role it is named for. */
export class Stage {
  private readonly kept = new Map<string, Promise<Made>>();
  /** Those on which everybody has still the rights that they were made with. */
  private readonly reusable = new Map<string, Made[]>();
  private made = 0;

  private constructor(
    private readonly trellis: Trellis,
    /** Null is anonymous. */
    readonly people: Readonly<Record<Caller, Person | null>>,
    /** Has nothing to do with the callers. */
    readonly founder: Person,
    /** Where projects are made whose members are their own: its owner is theirs. */
    private readonly home: MadeGroup,
    private readonly stored: StoredState,
  ) {}

  static async build(trellis: Trellis): Promise<Stage> {
    const { factories } = trellis;
    const make = async (caller: Caller): Promise<[Caller, Person | null]> => {
      if (caller === 'anonymous') return [caller, null];
      if (caller === 'admin') return [caller, await factories.admin()];
      const external = caller === 'external' || caller === 'external-member';
      return [caller, await factories.user({ projectsLimit: external ? 0 : 10_000, external })];
    };
    const people = Object.fromEntries(await Promise.all(CALLERS.map(make))) as Stage['people'];
    const { owner, blocked } = people;
    if (owner === null || blocked === null) throw new Error('There are no people');
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
    const founder = await factories.user({ projectsLimit: 10_000 });
    const home = await factories.group(owner);
    return new Stage(trellis, people, founder, home, await StoredState.of(trellis));
  }

  /** One that stays as it is: for calls that are refused or only read. */
  async keep(kind: ObjectKind, place: Place): Promise<number> {
    return (await this.keptAt(kind, place)).id;
  }

  /** Of the project that is kept, with its namespace. */
  async pathOf(place: Place): Promise<string> {
    const [row] = await this.trellis.rows<{ path: string }>(
      `SELECT n.path || '/' || p.path AS path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
        WHERE p.id = $1`,
      [await this.keep('project', place)],
    );
    return row?.path ?? '';
  }

  /** The tables in which the one that is kept has changed since it was made. */
  async changesOfKept(kind: ObjectKind, place: Place): Promise<string[]> {
    const { id, state } = await this.keptAt(kind, place);
    const now = await this.stored.read(kind, id);
    return Object.keys(now).filter((name) => now[name] !== state[name]);
  }

  /** Lends one that may be changed. It is lent again until a role on it has changed. */
  async lend<T>(kind: ObjectKind, place: Place, use: (id: number) => Promise<T>): Promise<T> {
    const free = this.freeAt(kind, place);
    const one = free.pop() ?? (await this.make(kind, place, 'access'));
    const result = await use(one.id);
    const now = await this.stored.readAccess(kind, one.id);
    if (Object.keys(now).every((name) => now[name] === one.state[name])) free.push(one);
    return result;
  }

  private keptAt(kind: ObjectKind, place: Place): Promise<Made> {
    const name = nameOf(kind, place);
    const kept = this.kept.get(name) ?? this.make(kind, place, 'all');
    this.kept.set(name, kept);
    return kept;
  }

  private freeAt(kind: ObjectKind, place: Place): Made[] {
    const name = nameOf(kind, place);
    const free = this.reusable.get(name) ?? [];
    this.reusable.set(name, free);
    return free;
  }

  private async make(kind: ObjectKind, place: Place, what: 'all' | 'access'): Promise<Made> {
    const { visibility, way } = place;
    const { id } = await (kind === 'project'
      ? this.newProject(visibility, way)
      : this.newGroup(visibility));
    this.made += 1;
    if (this.made % ANALYZE_EVERY === 0) await this.trellis.rows('ANALYZE');
    const { stored } = this;
    return {
      id,
      state: await (what === 'all' ? stored.read(kind, id) : stored.readAccess(kind, id)),
    };
  }

  async newProject(visibility: Visibility, way: Way = 'direct'): Promise<MadeProject> {
    const { factories } = this.trellis;
    const visibilityLevel = VISIBILITY_LEVELS[visibility];
    const owner = way === 'share' ? this.founder : this.person('owner');
    const namespace = way === 'direct' ? this.home : await factories.group(owner);
    const project = await factories.project(owner, { visibilityLevel, namespaceId: namespace.id });
    if (way === 'direct') await this.addMembers(`project_members (project_id`, project.id);
    if (way === 'group') await this.addMembers(`group_members (group_id`, namespace.id);
    if (way === 'share') {
      const invited = await factories.group(this.founder);
      await factories.addToGroup(invited, this.person('owner'), 50);
      await this.addMembers(`group_members (group_id`, invited.id);
      await factories.share(project, invited, SHARED_LEVEL);
    }
    return project;
  }

  /** It has no projects, which would show it to their readers. */
  private async newGroup(visibility: Visibility): Promise<MadeGroup> {
    const visibilityLevel = VISIBILITY_LEVELS[visibility];
    const group = await this.trellis.factories.group(this.person('owner'), { visibilityLevel });
    await this.addMembers(`group_members (group_id`, group.id);
    return group;
  }

  person(caller: Caller): Person {
    const person = this.people[caller];
    if (person === null) throw new Error(`${caller} is nobody`);
    return person;
  }

  /**
   * Everybody below owner, and two with a level of which nothing must be left: the one who is blocked, and the
   * one whose membership has expired.
   */
  private async addMembers(columns: string, id: number): Promise<void> {
    const { master } = LEVELS;
    const levels = { ...LEVELS, owner: undefined, blocked: master, 'former-member': master };
    const members = Object.entries(levels).filter(([, level]) => level !== undefined);
    const userIds = members.map(([caller]) => this.person(caller as Caller).user.id);
    const ends = members.map(([caller]) => (caller === 'former-member' ? '2020-01-01' : null));
    await this.trellis.rows(
      `INSERT INTO ${columns}, user_id, access_level, expires_at)
       SELECT $1, * FROM unnest($2::int[], $3::int[], $4::date[])`,
      [id, userIds, members.map(([, level]) => level), ends],
    );
  }
}

const nameOf = (kind: ObjectKind, { visibility, way }: Place): string =>
  `${kind} ${visibility} ${way}`;
