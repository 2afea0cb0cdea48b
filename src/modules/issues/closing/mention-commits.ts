import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../../platform/queue/index.js';
import { mentionCommits, type MentionCommitsPayload } from './closing.jobs.js';
import { ReadCommits } from './read-commits.js';

@Injectable()
@HandlesJob(mentionCommits)
export class MentionCommits implements JobHandler<MentionCommitsPayload> {
  constructor(private readonly commits: ReadCommits) {}

  async handle(payload: MentionCommitsPayload): Promise<void> {
    await this.commits.mention(payload);
  }
}
