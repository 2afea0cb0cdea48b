import type { INestApplicationContext } from '@nestjs/common';
import type { Advance } from '../../backup/index.js';
import { VerifyCountersJob } from '../../modules/issuables/index.js';
import { VersionCheck } from '../../modules/merge-requests/index.js';
import {
  type MaintainedProject,
  ProjectsRepository,
  RemoveOrphanedRepositoriesJob,
  RemoveOrphanedUploadsJob,
} from '../../modules/projects/index.js';
import { type Flaw, RepositoryCheck } from '../../modules/repository/index.js';
import { UploadsService } from '../../modules/storage/index.js';
import { reasonOf } from '../probes/time-limit.js';
import type { Selection } from './selection.js';

/** A flaw, and where it is. */
export interface Finding {
  /** Path of the project; null for what belongs to none. */
  readonly project: string | null;
  readonly name: Flaw['name'] | 'upload' | 'orphaned-repository' | 'orphaned-uploads' | 'counters';
  readonly detail: string;
  readonly state: Flaw['state'];
}

/** Compares what lies in the storages with the database. */
export class Fsck {
  /** What `checkInstance` advances by. */
  static readonly INSTANCE_CHECKS = 3;

  private readonly signal = new AbortController().signal;

  /** @param repairs whether that is repaired which can be repaired without a loss */
  constructor(
    private readonly app: INestApplicationContext,
    private readonly repairs: boolean,
  ) {}

  async checkProjects({ projects }: Selection, advance: Advance): Promise<Finding[]> {
    const findings: Finding[] = [];
    const repository = this.app.get(ProjectsRepository);
    for await (const { id } of projects) {
      // As it is now: checking those before it may have taken hours.
      const project = await repository.findMaintained(String(id));
      if (project !== null) findings.push(...(await this.checkProject(project)));
      advance();
    }
    return findings;
  }

  /** Checks what belongs to no project or to all of them: orphaned folders and counters. */
  async checkInstance(advance: Advance): Promise<Finding[]> {
    const findings: Finding[] = [];
    const checks = {
      'orphaned-repository': () => this.checkOrphanedRepositories(),
      'orphaned-uploads': () => this.checkOrphanedUploads(),
      counters: () => this.checkCounters(),
    };
    for (const [name, check] of Object.entries(checks)) {
      findings.push(...(await this.attempt(name as keyof typeof checks, check)));
      advance();
    }
    return findings;
  }

  /** Makes a failed check a finding, so that those of the others are not lost. */
  private async attempt(
    name: Finding['name'],
    check: () => Promise<Finding[]>,
  ): Promise<Finding[]> {
    try {
      return await check();
    } catch (error) {
      return [{ project: null, name, detail: couldNotBeChecked(error), state: 'found' }];
    }
  }

  private async checkProject(project: MaintainedProject): Promise<Finding[]> {
    try {
      const flaws = await this.findFlaws(project);
      return flaws.map((flaw) => ({ project: project.fullPath, ...flaw }));
    } catch (error) {
      const detail = couldNotBeChecked(error);
      return [{ project: project.fullPath, name: 'repository', detail, state: 'found' }];
    }
  }

  private async findFlaws(project: MaintainedProject): Promise<Omit<Finding, 'project'>[]> {
    const unreadable = await this.app.get(UploadsService).findUnreadable(project.id);
    const uploads = unreadable.map((path): Omit<Finding, 'project'> => {
      return { name: 'upload', detail: `${path} cannot be read`, state: 'found' };
    });
    if (project.repositoryState !== 'ready') {
      const detail = `is ${project.repositoryState}, and was not checked`;
      return [...uploads, { name: 'repository', detail, state: 'noted' }];
    }
    const options = { repairs: this.repairs, signal: this.signal };
    const repository = await this.app.get(RepositoryCheck).check(project, options);
    if (repository.some(({ name }) => name === 'repository')) return [...uploads, ...repository];
    const versions = await this.app.get(VersionCheck).check(project, options);
    return [...uploads, ...repository, ...versions];
  }

  private async checkOrphanedRepositories(): Promise<Finding[]> {
    const job = this.app.get(RemoveOrphanedRepositoriesJob);
    const findings: Finding[] = [];
    for await (const orphan of job.findOrphans()) {
      const detail = `the repository of project ${orphan.id} in storage ${orphan.storage} belongs to no project`;
      const isRemoved = this.repairs && (await job.remove(orphan));
      findings.push(this.ofInstance('orphaned-repository', detail, isRemoved));
    }
    return findings;
  }

  private async checkOrphanedUploads(): Promise<Finding[]> {
    const job = this.app.get(RemoveOrphanedUploadsJob);
    const findings: Finding[] = [];
    for await (const id of job.findOrphans()) {
      if (this.repairs) await job.remove(id);
      findings.push(
        this.ofInstance('orphaned-uploads', `the uploads of project ${id} belong to no project`),
      );
    }
    return findings;
  }

  private async checkCounters(): Promise<Finding[]> {
    const options = { corrects: this.repairs, signal: this.signal };
    const findings: Finding[] = [];
    for await (const wrong of this.app.get(VerifyCountersJob).findWrong(options)) {
      findings.push(this.ofInstance('counters', `${wrong} are wrong`));
    }
    return findings;
  }

  private ofInstance(
    name: Finding['name'],
    detail: string,
    isRepaired: boolean = this.repairs,
  ): Finding {
    return { project: null, name, detail, state: isRepaired ? 'repaired' : 'found' };
  }
}

const couldNotBeChecked = (error: unknown): string => `could not be checked: ${reasonOf(error)}`;
