import { Injectable, Logger } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type Commit,
  GitClosedError,
  GitError,
  type RefUpdate,
  type Repository,
  TAG_PREFIX,
  ZERO_OID,
} from '../../../../git/index.js';
import type { PushedCommit, PushedRef } from '../../../activity/index.js';
import type { ProjectRef } from '../../../authorization/index.js';
import { ProjectStorage } from '../../../storage/index.js';
import { storable } from '../../shared/commit-text.js';
import { formatHookDate } from '../../shared/git-date.js';
import { type CommitsOfBranches, readPushedCommits } from './pushed-commits.js';
import { PushedRefs } from '../push.events.js';

/** How many commits of each ref a payload contains (docs/reference/hooks.md#pushes-and-tags). */
const MAX_COMMITS = 20;
/** Characters of a message in a payload: payloads are stored and sent many times, and a message may have megabytes. */
export const MAX_PAYLOAD_MESSAGE = 10_000;
/** Characters of an author's name or e-mail address in a payload. */
export const MAX_PAYLOAD_IDENTITY = 255;

interface RefContent {
  /** The newest commits. */
  commits: Commit[];
  /** How many commits there are. */
  total: number;
  /** Of an annotated tag. */
  message: string | null;
}

const NO_CONTENT: RefContent = { commits: [], total: 0, message: null };

/** Describes what a push did to each ref, for feeds and hooks. */
@Injectable()
export class PushDescriber {
  private readonly logger = new Logger(PushDescriber.name);

  constructor(private readonly storage: ProjectStorage) {}

  /** Describes the updates of a push that git has made. Requires the push lock. */
  describe(
    repository: Repository,
    updates: readonly RefUpdate[],
    commits: CommitsOfBranches,
  ): PushedRefs {
    return new PushedRefs(updates, async (batch) => {
      const contents = await this.readContents(batch, commits, repository);
      return batch.map((update, at) => pushedRef(update, contents[at] ?? NO_CONTENT));
    });
  }

  /**
   * Describes a sample push for trying a hook: of the newest commit of the default branch, or of the last
   * tag by name. Null when there is none.
   */
  async describeSample(kind: 'branch' | 'tag', project: ProjectRef): Promise<PushedRef | null> {
    const repository = this.storage.repository(project);
    const update =
      kind === 'branch'
        ? await newestCommitUpdate(project, repository)
        : await lastTagUpdate(repository);
    if (update === null) return null;
    const commits = await readPushedCommits(project, repository, [update]);
    const [described] = await this.describe(repository, [update], commits).describe([update]);
    return described ?? null;
  }

  /** Reads what git knows of each update. A push is recorded even if git cannot read its commits. */
  private async readContents(
    updates: readonly RefUpdate[],
    commits: CommitsOfBranches,
    repository: Repository,
  ): Promise<RefContent[]> {
    try {
      const branches = await readBranchContents(updates, commits, repository);
      const tags = await Promise.all(updates.map((update) => readTagContent(update, repository)));
      const messages = await readTagMessages(updates, repository);
      return branches.map((branch, at) => ({
        ...(tags[at] ?? branch),
        message: messages[at] ?? null,
      }));
    } catch (error) {
      if (!(error instanceof GitError) || error instanceof GitClosedError) throw error;
      this.logger.warn('Pushed commits cannot be described', error);
      return [];
    }
  }
}

function pushedRef(update: RefUpdate, { commits, total, message }: RefContent): PushedRef {
  return {
    ref: update.ref,
    oldOid: update.oldOid,
    newOid: update.newOid,
    message: message === null ? null : storable(message, MAX_PAYLOAD_MESSAGE),
    commits: commits.map(describeCommit).reverse(),
    commitCount: total,
  };
}

/** Returns a commit as events and payloads of hooks contain it (docs/reference/hooks.md#shared-objects). */
export function describeCommit({ oid, message, author, committer }: Commit): PushedCommit {
  return {
    oid,
    message: storable(message, MAX_PAYLOAD_MESSAGE),
    committedAt: formatHookDate(committer),
    author: {
      name: storable(author.name, MAX_PAYLOAD_IDENTITY),
      email: storable(author.email, MAX_PAYLOAD_IDENTITY),
    },
  };
}

/** Reads the newest commits of each branch, all by one request to git; none for tags. */
async function readBranchContents(
  updates: readonly RefUpdate[],
  pushed: CommitsOfBranches,
  { objects }: Repository,
): Promise<Omit<RefContent, 'message'>[]> {
  const oids = updates.map(({ ref }) => (pushed.get(ref)?.newest ?? []).slice(0, MAX_COMMITS));
  const found = await objects.commits(oids.flat());
  let next = 0;
  return updates.map(({ ref }, at) => {
    const from = next;
    next += oids[at]?.length ?? 0;
    const commits = found.slice(from, next).filter((commit) => commit !== null);
    return { commits, total: pushed.get(ref)?.total ?? 0 };
  });
}

/** Reads the commit of a tag; none for a deleted tag or one of another object. Null for a branch. */
async function readTagContent(
  { ref, newOid: target }: RefUpdate,
  repository: Repository,
): Promise<Omit<RefContent, 'message'> | null> {
  if (!isTag(ref)) return null;
  if (target === ZERO_OID) return NO_CONTENT;
  const oid = await repository.objects.peelToCommit(target);
  const commit = oid === null ? null : await repository.objects.commit(oid);
  return commit === null ? NO_CONTENT : { commits: [commit], total: 1 };
}

/** Reads the messages of annotated tags, all by one request to git. */
async function readTagMessages(
  updates: readonly RefUpdate[],
  { objects }: Repository,
): Promise<(string | null)[]> {
  const tags = updates.filter(({ ref, newOid }) => isTag(ref) && newOid !== ZERO_OID);
  if (tags.length === 0) return [];
  const found = await objects.tags(tags.map(({ newOid }) => newOid));
  const messages = new Map(tags.map((update, at) => [update, found[at]?.message ?? null]));
  return updates.map((update) => messages.get(update) ?? null);
}

async function newestCommitUpdate(
  { defaultBranch }: ProjectRef,
  repository: Repository,
): Promise<RefUpdate | null> {
  if (defaultBranch === null) return null;
  const ref = `${BRANCH_PREFIX}${defaultBranch}`;
  const newOid = await repository.refs.get(ref);
  const commit = newOid === null ? null : await repository.objects.commit(newOid);
  return commit && { ref, oldOid: commit.parents[0] ?? ZERO_OID, newOid: commit.oid };
}

async function lastTagUpdate(repository: Repository): Promise<RefUpdate | null> {
  const tag = (await repository.refs.list(TAG_PREFIX)).at(-1);
  return tag === undefined ? null : { ref: tag.name, oldOid: ZERO_OID, newOid: tag.target };
}

function isTag(ref: string): boolean {
  return ref.startsWith(TAG_PREFIX);
}
