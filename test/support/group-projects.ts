import { listForm } from './list-form.js';
import type { MadeGroup, MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** Somebody's projects in groups and shared with groups, and how lists show them. */
export class GroupProjects {
  constructor(
    private readonly trellis: Trellis,
    private readonly owner: Person,
  ) {}

  make(group: MadeGroup, visibilityLevel = 0): Promise<MadeProject> {
    const options = { namespaceId: group.id, visibilityLevel };
    return this.trellis.factories.project(this.owner, options);
  }

  /** Makes a project elsewhere that is shared with the group. */
  async share(group: MadeGroup, visibilityLevel = 0): Promise<MadeProject> {
    const project = await this.trellis.factories.project(this.owner, { visibilityLevel });
    await this.trellis.factories.share(project, group, 30);
    return project;
  }

  /** The IDs of a group's projects, as somebody gets them listed. */
  async listed(person: Person, { id }: { id: number }, query = ''): Promise<number[]> {
    const path = `/groups/${String(id)}/projects${query}`;
    const answer = await this.trellis.as(person).get(path).expect(200);
    return (answer.body as { id: number }[]).map((project) => project.id);
  }

  asListed(project: MadeProject): Promise<unknown> {
    return listForm(this.trellis, this.owner, project);
  }
}
