import { Checkout, FIRST_COMMIT } from './checkout.js';
import { pushDirectly } from './direct-push.js';
import type { MadeProject, Person, ProjectOptions } from './factories.js';
import type { Trellis } from './trellis.js';

export interface PushedProject {
  project: MadeProject;
  /** The owner's working copy, with one commit on `master`. */
  work: Checkout;
  head: string;
}

/** Makes projects with a first push, and working copies; removes all of these at the end. */
export class PushedProjects {
  private readonly checkouts: Checkout[] = [];

  constructor(
    private readonly trellis: Trellis,
    readonly owner: Person,
  ) {}

  async make(options: ProjectOptions = {}): Promise<PushedProject> {
    const project = await this.trellis.factories.project(this.owner, options);
    const work = await this.checkoutWithCommit(project, this.owner);
    const { oid: head, objects } = FIRST_COMMIT;
    const by = { project, person: this.owner };
    await pushDirectly(this.trellis, by, new Map([['refs/heads/master', head]]), objects);
    return { project, work, head };
  }

  async checkout(project: MadeProject, person: Person | null): Promise<Checkout> {
    const made = await Checkout.create(this.trellis, project, person);
    this.checkouts.push(made);
    return made;
  }

  /** One with the commit that other new projects begin with. */
  async checkoutWithCommit(project: MadeProject, person: Person): Promise<Checkout> {
    const made = await Checkout.withFirstCommit(this.trellis, project, person);
    this.checkouts.push(made);
    return made;
  }

  async remove(): Promise<void> {
    await Promise.all(this.checkouts.map((checkout) => checkout.remove()));
  }
}
