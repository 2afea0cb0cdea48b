import { Injectable, Logger } from '@nestjs/common';
import {
  type Commit,
  GitClosedError,
  type PushedCommits,
  type RefUpdate,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import { Database } from '../../../platform/database/index.js';
import { Urls } from '../../../platform/urls/index.js';
import { formatGitDate } from '../git-date.js';
import { storable } from '../storable-text.js';
import type { PushIntent } from './push-intent.entity.js';
import type { LockedProject } from './push-intents.repository.js';

const HEADS = 'refs/heads/';
const TAGS = 'refs/tags/';
/** How many commits are told of each ref (open points 7.3). */
const TOLD = 20;
/** A commit may hold megabytes of text; what is told of it is kept and shown many times. */
const MAX_MESSAGE = 10_000;
const MAX_NAME = 255;

const NOTHING: PushedCommits = { newest: [], total: 0 };

/** What the payloads of one push have in common. */
interface Names {
  project: string;
  description: string | null;
  fullPath: string;
  user: string;
}

const NAMES = `
  SELECT p.name AS project, p.description, n.path || '/' || p.path AS "fullPath", u.name AS "user"
    FROM projects p JOIN namespaces n ON n.id = p.namespace_id JOIN users u ON u.id = $2
   WHERE p.id = $1`;

/** Tells what a push did to each ref (specification 2.17, open points 7.3). */
@Injectable()
export class PushPayloads {
  private readonly logger = new Logger(PushPayloads.name);

  constructor(
    private readonly database: Database,
    private readonly urls: Urls,
  ) {}

  /** What tells of the updates of one push, which git has made; with the push lock held. */
  async describer(
    intent: PushIntent,
    project: LockedProject,
    repository: Repository,
  ): Promise<(update: RefUpdate) => Promise<object>> {
    const [names] = await this.database.rows<Names>(NAMES, [intent.projectId, intent.userId]);
    if (names === undefined) throw new Error(`Push ${intent.id} is nobody's`);
    return async (update) =>
      this.payload(intent, names, update, await this.pushedBy(update, project, repository));
  }

  private payload(
    { projectId, userId }: PushIntent,
    names: Names,
    { ref, oldOid, newOid }: RefUpdate,
    { newest, total }: PushedCommits,
  ): object {
    return {
      object_kind: ref.startsWith(TAGS) ? 'tag_push' : 'push',
      before: oldOid,
      after: newOid,
      ref,
      user_id: userId,
      user_name: names.user,
      project_id: projectId,
      repository: {
        name: names.project,
        url: this.urls.gitOverSsh(names.fullPath),
        description: names.description,
        homepage: this.urls.project(names.fullPath),
      },
      commits: newest.map((commit) => this.commit(names, commit)).reverse(),
      total_commits_count: total,
    };
  }

  private commit({ fullPath }: Names, { oid, message, author, committer }: Commit): object {
    return {
      id: oid,
      message: storable(message, MAX_MESSAGE),
      timestamp: formatGitDate(committer),
      url: this.urls.web(...fullPath.split('/'), 'commit', oid),
      author: { name: storable(author.name, MAX_NAME), email: storable(author.email, MAX_NAME) },
    };
  }

  /** A push that has happened is recorded, whatever git can still say of it. */
  private async pushedBy(
    update: RefUpdate,
    project: LockedProject,
    repository: Repository,
  ): Promise<PushedCommits> {
    try {
      return await pushedCommits(update, project, repository);
    } catch (error) {
      if (error instanceof GitClosedError) throw error;
      this.logger.warn(`What was pushed to project ${String(project.id)} cannot be told`, error);
      return NOTHING;
    }
  }
}

async function pushedCommits(
  { ref, oldOid, newOid }: RefUpdate,
  { defaultBranch }: LockedProject,
  repository: Repository,
): Promise<PushedCommits> {
  if (newOid === ZERO_OID) return NOTHING;
  if (ref.startsWith(TAGS)) return taggedCommit(newOid, repository);
  const main = `${HEADS}${defaultBranch ?? ''}`;
  const others = ref === main || defaultBranch === null ? null : await repository.refs.get(main);
  const base = oldOid === ZERO_OID ? others : oldOid;
  return repository.pushedCommits({ tip: newOid, base, limit: TOLD });
}

/** None behind a tag of something else. */
async function taggedCommit(target: string, repository: Repository): Promise<PushedCommits> {
  const oid = await repository.objects.peelToCommit(target);
  const commit = oid === null ? null : await repository.objects.commit(oid);
  return commit === null ? NOTHING : { newest: [commit], total: 1 };
}
