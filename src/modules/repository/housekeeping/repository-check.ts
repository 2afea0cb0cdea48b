import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX } from '../../../git/index.js';
import { type MaintainedProject, PointHeadJob } from '../../projects/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { ProtectedBranchesRepository } from '../protection/protected-branches.repository.js';
import type { Flaw } from './flaw.js';

/** Compares a repository with what the database says about it. */
@Injectable()
export class RepositoryCheck {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly rules: ProtectedBranchesRepository,
    private readonly pointHead: PointHeadJob,
  ) {}

  /**
   * Checks that the repository is there and complete, and that HEAD, the default branch and the protected branches are
   * those of the project.
   * @param repairs whether HEAD is set, under the push lock
   */
  async check(
    project: MaintainedProject,
    { repairs, signal }: { repairs: boolean; signal?: AbortSignal },
  ): Promise<Flaw[]> {
    const repository = this.storage.repository(project);
    if (!(await repository.exists())) return [missing(repository.path)];
    const head = await this.checkHead(project, repairs);
    const objects = await repository.check(signal === undefined ? {} : { signal });
    return [
      ...head,
      ...objects.map((detail): Flaw => ({ name: 'objects', detail, state: 'found' })),
      ...(await this.checkBranches(project)),
    ];
  }

  /**
   * Checks the same without walking the history: of the objects only those that branches point at.
   * @throws Error for files that cannot be read
   */
  async checkQuickly(project: MaintainedProject): Promise<Flaw[]> {
    const repository = this.storage.repository(project);
    if (!(await repository.exists())) return [missing(repository.path)];
    const branches = await repository.refs.list(BRANCH_PREFIX);
    const tips = [...new Set(branches.map(({ target }) => target))];
    const lost = await repository.objects.findMissing(tips);
    return [
      ...(await this.checkHead(project, false)),
      ...lost.map((tip): Flaw => {
        return { name: 'objects', detail: `commit ${tip} of a branch is missing`, state: 'found' };
      }),
      ...(await this.checkBranches(project)),
    ];
  }

  private async checkHead(project: MaintainedProject, repairs: boolean): Promise<Flaw[]> {
    const { refs } = this.storage.repository(project);
    const head = await refs.head();
    const expected = this.pointHead.branchOf(project);
    if (head === expected) return [];
    const detail = `HEAD is ${head ?? 'unreadable'}, the default branch is ${expected}`;
    if (!repairs) return [{ name: 'head', detail, state: 'found' }];
    await this.pointHead.handle({ projectId: project.id });
    const isSet = (await refs.head()) === expected;
    return [{ name: 'head', detail, state: isSet ? 'repaired' : 'found' }];
  }

  private async checkBranches(project: MaintainedProject): Promise<Flaw[]> {
    const { refs } = this.storage.repository(project);
    const isAbsent = async (branch: string): Promise<boolean> =>
      (await refs.get(BRANCH_PREFIX + branch)) === null;
    const flaws: Flaw[] = [];
    const { defaultBranch } = project;
    if (defaultBranch !== null && (await isAbsent(defaultBranch))) {
      const detail = `the default branch ${defaultBranch} does not exist`;
      flaws.push({ name: 'default-branch', detail, state: 'found' });
    }
    for (const { name } of await this.rules.rulesOf(project.id)) {
      if (await isAbsent(name)) {
        const detail = `the protected branch ${name} does not exist`;
        flaws.push({ name: 'protected-branch', detail, state: 'noted' });
      }
    }
    return flaws;
  }
}

const missing = (path: string): Flaw => ({
  name: 'repository',
  state: 'found',
  detail: `${path} is missing: restore it from a backup`,
});
