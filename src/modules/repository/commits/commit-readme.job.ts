import { Injectable, Logger } from '@nestjs/common';
import { DomainError, type ErrorCode } from '../../../platform/errors/index.js';
import { defineJob, HandlesJob, type JobHandler, Outbox } from '../../../platform/queue/index.js';
import { FirstCommits, PointHeadJob, ProjectsRepository } from '../../projects/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { ActingUsers } from '../../users/index.js';
import { POST_RECEIVE_DELAY_MS } from '../pushes/post-receive.js';
import { CommitWriter } from './commit-writer.js';

interface CommitReadmePayload {
  projectId: number;
  userId: number;
}

/** Commits a README to a repository without commits. */
const commitReadme = defineJob<CommitReadmePayload>('repositories', 'commit-readme', {
  timeLimitMs: 5 * 60_000,
});

/** Refusals after which another attempt is pointless: others have pushed, or the author may not any more. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'commit-refused',
  'forbidden',
  'not-found',
  'storage-limit',
]);

/** Commits the README of a new project in the name of its creator, as a push by the API. */
@Injectable()
@HandlesJob(commitReadme)
export class CommitReadmeJob extends FirstCommits implements JobHandler<CommitReadmePayload> {
  private readonly logger = new Logger(CommitReadmeJob.name);

  constructor(
    private readonly writer: CommitWriter,
    private readonly storage: ProjectStorage,
    private readonly projects: ProjectsRepository,
    private readonly head: PointHeadJob,
    private readonly users: ActingUsers,
    private readonly outbox: Outbox,
  ) {
    super();
  }

  async scheduleReadme(projectId: number, userId: number): Promise<void> {
    const options = { delayMs: POST_RECEIVE_DELAY_MS };
    await this.outbox.add(commitReadme.with({ projectId, userId }, options));
  }

  async tryReadmeNow(projectId: number, userId: number): Promise<void> {
    try {
      await this.commit(projectId, userId);
    } catch (error) {
      this.logger.warn(`The README of project ${String(projectId)} follows later`, error);
    }
  }

  async handle({ projectId, userId }: CommitReadmePayload): Promise<void> {
    try {
      await this.commit(projectId, userId);
    } catch (error) {
      if (!(error instanceof DomainError && FINAL.has(error.detail.code))) throw error;
      this.logger.warn(`Project ${String(projectId)} gets no README: ${error.message}`);
    }
  }

  private async commit(projectId: number, userId: number): Promise<void> {
    const project = await this.projects.findById(projectId);
    const author = await this.users.findOnProject(userId, projectId);
    if (project === null || author === null) return;
    const { user, access } = author;
    if (!(await this.storage.repository(access.project).isEmpty())) return;
    const branch = this.head.branchOf(project);
    // Begins the branch: once the repository has one, whatever made it, the commit is refused.
    const commit = { branch, message: 'Initial commit', author: {}, start: { branch } };
    const content = `${[`# ${project.name}`, project.description ?? ''].join('\n\n').trim()}\n`;
    await this.writer.commitActions(user, access, commit, [
      { action: 'create', path: 'README.md', previousPath: undefined, content, encoding: 'text' },
    ]);
  }
}
