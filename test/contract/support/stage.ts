import { type MadeGroup, type MadeProject, type Person } from '../../support/factories.js';
import type { Trellis } from '../../support/trellis.js';
import { type Caller, CALLERS, LEVELS, SHARED_LEVEL, type Visibility } from './expectation.js';

/** How the members of a project became its members. */
export type Way = 'direct' | 'group' | 'share';

const VISIBILITY_LEVELS: Readonly<Record<Visibility, number>> = {
  private: 0,
  internal: 10,
  public: 20,
};

/** The callers as accounts, and projects and groups on which each of them has the role it is named for. */
export class Stage {
  private readonly kept = new Map<string, Promise<{ id: number }>>();

  private constructor(
    private readonly trellis: Trellis,
    /** Null is anonymous. */
    readonly people: Readonly<Record<Caller, Person | null>>,
    /** Has nothing to do with the callers. */
    readonly founder: Person,
    /** Where projects are made whose members are their own: its owner is theirs. */
    private readonly home: MadeGroup,
  ) {}

  static async build(trellis: Trellis): Promise<Stage> {
    const { factories } = trellis;
    const make = async (caller: Caller): Promise<[Caller, Person | null]> => {
      if (caller === 'anonymous') return [caller, null];
      if (caller === 'admin') return [caller, await factories.admin()];
      const external = caller === 'external';
      return [caller, await factories.user({ projectsLimit: external ? 0 : 10_000, external })];
    };
    const people = Object.fromEntries(await Promise.all(CALLERS.map(make))) as Stage['people'];
    const { owner, blocked } = people;
    if (owner === null || blocked === null) throw new Error('There are no people');
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
    const founder = await factories.user({ projectsLimit: 10_000 });
    return new Stage(trellis, people, founder, await factories.group(owner));
  }

  /** A project that stays as it is: for calls that are refused or only read. */
  project(visibility: Visibility, way: Way = 'direct'): Promise<MadeProject> {
    return this.keep(`project ${visibility} ${way}`, () => this.newProject(visibility, way));
  }

  /** A group that stays as it is; it has no projects, which would show it to their readers. */
  group(visibility: Visibility): Promise<MadeGroup> {
    return this.keep(`group ${visibility}`, () => this.newGroup(visibility));
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

  async newGroup(visibility: Visibility): Promise<MadeGroup> {
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

  private keep<T extends { id: number }>(name: string, make: () => Promise<T>): Promise<T> {
    const kept = this.kept.get(name) ?? make();
    this.kept.set(name, kept);
    return kept as Promise<T>;
  }

  /** Everybody below owner, and the one who is blocked with a level of which nothing must be left. */
  private async addMembers(columns: string, id: number): Promise<void> {
    const levels = { ...LEVELS, owner: undefined, blocked: LEVELS.master };
    const members = Object.entries(levels).filter(([, level]) => level !== undefined);
    const userIds = members.map(([caller]) => this.person(caller as Caller).user.id);
    await this.trellis.rows(
      `INSERT INTO ${columns}, user_id, access_level)
       SELECT $1, * FROM unnest($2::int[], $3::int[])`,
      [id, userIds, members.map(([, level]) => level)],
    );
  }
}
