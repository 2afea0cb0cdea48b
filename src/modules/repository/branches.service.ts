import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type Commit,
  GitError,
  type Oid,
  type Ref,
  type Repository,
} from '../../git/index.js';
import { notFound } from '../../platform/errors/index.js';
import { mapPage, Page, type PageRequest } from '../../platform/http/index.js';
import type { ProjectRef } from '../access/index.js';
import { ProjectStorage } from '../projects/index.js';
import type { Lasting } from './answer-cache.js';
import {
  type BranchProtection,
  type ProtectionRule,
  protectionOf,
} from './protection/protection.policy.js';
import { ProtectedBranchesRepository } from './protection/protected-branches.repository.js';
import { listCommits } from './listed-commits.js';

const DAMAGED: ReadonlySet<string> = new Set(['object-missing', 'process']);

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
  async list(project: ProjectRef, request: PageRequest): Promise<Lasting<Page<Branch>>> {
    const repository = this.storage.repository(project);
    const { refs, version } = await repository.refs.listed(BRANCH_PREFIX);
    const rules = await this.protectedBranches.rulesOf(project.id);
    const { defaultBranch } = project;
    return {
      key: ['branches', version, defaultBranch, request.page, request.per_page, rules],
      make: async () => {
        const trunk = refs.find(({ name }) => name === `${BRANCH_PREFIX}${defaultBranch ?? ''}`);
        const page = Page.of(refs, request);
        const branches = await describe(repository, page.items, trunk?.target ?? null, rules);
        return mapPage(page, (_, index) => branches[index] as Branch);
      },
    };
  }

  /** @throws DomainError not found */
  async read(project: ProjectRef, name: string): Promise<Branch> {
    return (await this.find(project, name)).make();
  }

  /** @throws DomainError not found */
  async find(project: ProjectRef, name: string): Promise<Lasting<Branch>> {
    const repository = this.storage.repository(project);
    const target = await repository.refs.get(`${BRANCH_PREFIX}${name}`);
    if (target === null) throw notFound('Branch');
    const { defaultBranch } = project;
    const trunk =
      defaultBranch === null ? null : await repository.refs.get(`${BRANCH_PREFIX}${defaultBranch}`);
    const rules = await this.protectedBranches.rulesOf(project.id);
    const ref: Ref = { name: `${BRANCH_PREFIX}${name}`, target };
    return {
      key: ['branch', ref, trunk, rules],
      make: async () => (await describe(repository, [ref], trunk, rules))[0] as Branch,
    };
  }
}

/** @param trunk the head of the default branch */
async function describe(
  repository: Repository,
  refs: readonly Ref[],
  trunk: Oid | null,
  rules: readonly ProtectionRule[],
): Promise<Branch[]> {
  const heads = refs.map(({ target }) => target);
  const commits = await listCommits(repository, heads);
  const merged = await mergedInto(repository, heads, trunk);
  return refs.map((ref, index) => {
    const commit = commits[index] as Commit;
    const name = ref.name.slice(BRANCH_PREFIX.length);
    return { name, commit, protection: protectionOf(name, rules), merged: merged.has(ref.target) };
  });
}

/** Of a damaged history nothing counts as merged. */
async function mergedInto(
  repository: Repository,
  heads: readonly Oid[],
  trunk: Oid | null,
): Promise<ReadonlySet<Oid>> {
  if (trunk === null) return new Set();
  try {
    return await repository.reachable(heads, trunk);
  } catch (error) {
    if (error instanceof GitError && DAMAGED.has(error.code)) return new Set();
    throw error;
  }
}
