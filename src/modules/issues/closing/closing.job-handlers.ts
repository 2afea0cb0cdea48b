import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { type Closing, IssuesService } from '../issues.service.js';
import {
  closeByCommit,
  CommitReferencesService,
  mentionCommits,
  type MentionCommitsPayload,
  readCommits,
  type ReadCommitsPayload,
} from './commit-references.service.js';

@Injectable()
@HandlesJob(readCommits)
export class ReadCommitsJob implements JobHandler<ReadCommitsPayload> {
  constructor(private readonly commits: CommitReferencesService) {}

  async handle(payload: ReadCommitsPayload): Promise<void> {
    await this.commits.processBranch(payload);
  }
}

@Injectable()
@HandlesJob(mentionCommits)
export class MentionCommitsJob implements JobHandler<MentionCommitsPayload> {
  constructor(private readonly commits: CommitReferencesService) {}

  async handle(payload: MentionCommitsPayload): Promise<void> {
    await this.commits.processMentions(payload);
  }
}

@Injectable()
@HandlesJob(closeByCommit)
export class CloseByCommitJob implements JobHandler<Closing> {
  constructor(private readonly issues: IssuesService) {}

  async handle(closing: Closing): Promise<void> {
    await this.issues.close(closing);
  }
}
