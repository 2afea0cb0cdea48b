import { Injectable } from '@nestjs/common';
import type { Commit, Ref, Repository } from '../../git/index.js';
import { notFound } from '../../platform/errors/index.js';
import { mapPage, Page, type PageRequest } from '../../platform/http/index.js';
import type { ProjectRef } from '../access/index.js';
import { ProjectStorage } from '../projects/index.js';
import { type BranchProtection, protectionOf } from './protection/protection.policy.js';
import { ProtectedBranchesRepository } from './protection/protected-branches.repository.js';

const HEADS = 'refs/heads/';

export interface Branch {
  name: string;
  commit: Commit;
  protection: BranchProtection;
  merged: boolean;
}

@Injectable()
export class BranchesService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly protectedBranches: ProtectedBranchesRepository,
  ) {}

  /** By name; an empty repository has none. */
  async list(project: ProjectRef, request: PageRequest): Promise<Page<Branch>> {
    const repository = this.storage.repository(project);
    const page = Page.of(await repository.refs.list(HEADS), request);
    const branches = await this.describe(project, repository, page.items);
    return mapPage(page, (_, index) => branches[index] as Branch);
  }

  /** @throws DomainError not found */
  async read(project: ProjectRef, name: string): Promise<Branch> {
    const repository = this.storage.repository(project);
    const target = await repository.refs.get(`${HEADS}${name}`);
    if (target === null) throw notFound('Branch');
    const [branch] = await this.describe(project, repository, [
      { name: `${HEADS}${name}`, target },
    ]);
    return branch as Branch;
  }

  private async describe(
    project: ProjectRef,
    repository: Repository,
    refs: readonly Ref[],
  ): Promise<Branch[]> {
    const rules = await this.protectedBranches.ofProject(project.id);
    const commits = await repository.objects.commits(refs.map(({ target }) => target));
    const trunk = await trunkOf(project, repository);
    const heads = refs.map(({ target }) => target);
    const merged = trunk === null ? new Set<string>() : await repository.reachable(heads, trunk);
    return refs.map((ref, index) => {
      const commit = commits[index];
      if (!commit) throw new Error(`${ref.name} points at no commit`);
      const name = ref.name.slice(HEADS.length);
      const protection = protectionOf(name, rules);
      return { name, commit, protection, merged: merged.has(ref.target) };
    });
  }
}

/** The head of the default branch. */
async function trunkOf(project: ProjectRef, repository: Repository): Promise<string | null> {
  const { defaultBranch } = project;
  return defaultBranch === null ? null : repository.refs.get(`${HEADS}${defaultBranch}`);
}
