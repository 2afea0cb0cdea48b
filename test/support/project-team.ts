import type { MadeProject, Person } from './factories.js';
import { eventRow, eventRows, memberRows } from './member-rows.js';
import type { Trellis } from './trellis.js';

/** People around a private project: its owner, a master, a developer, and one who is no member. */
export class ProjectTeam {
  /** The project of the test that runs. */
  project!: MadeProject;

  private constructor(
    private readonly trellis: Trellis,
    readonly owner: Person,
    readonly master: Person,
    readonly developer: Person,
    readonly stranger: Person,
  ) {}

  static async gather(trellis: Trellis): Promise<ProjectTeam> {
    const { factories } = trellis;
    const owner = await factories.user({ projectsLimit: 1000 });
    const [master, developer] = [await factories.user(), await factories.user()];
    return new ProjectTeam(trellis, owner, master, developer, await factories.user());
  }

  /** Gives the team a new project. */
  async begin(): Promise<void> {
    const { factories } = this.trellis;
    this.project = await factories.project(this.owner);
    await factories.addToProject(this.project, this.master, 40);
    await factories.addToProject(this.project, this.developer, 30);
  }

  membersPath(): string {
    return `/projects/${String(this.project.id)}/members`;
  }

  memberPath({ user }: Person): string {
    return `${this.membersPath()}/${String(user.id)}`;
  }

  /** What the database knows of the project's members. */
  rows() {
    return memberRows(this.trellis, 'project_members', this.project);
  }

  feed() {
    return eventRows(this.trellis, this.project);
  }

  /** What the feed of a new project says. */
  created() {
    return eventRow(this.owner, 'created');
  }
}
