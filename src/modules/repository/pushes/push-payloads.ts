import { Injectable, Logger } from '@nestjs/common';
import {
  type Commit,
  GitClosedError,
  GitError,
  type RefUpdate,
  type Repository,
  TAG_PREFIX,
  ZERO_OID,
} from '../../../git/index.js';
import { Database } from '../../../platform/database/index.js';
import { Urls } from '../../../platform/urls/index.js';
import { formatHookDate } from '../git-date.js';
import { storable } from '../storable-text.js';
import type { Brought } from './brought-commits.js';
import type { PushIntent } from './push-intent.entity.js';
import { PushedRefs } from './pushed-refs.js';

/** How many commits are told of each ref (docs/reference/hooks.md#pushes-and-tags). */
const TOLD = 20;
/** A commit may hold megabytes of text; what is told of it is kept and shown many times. */
const MAX_MESSAGE = 10_000;
const MAX_NAME = 255;

/** The newest commits of a ref, and how many there are. */
interface NamedCommits {
  newest: Commit[];
  total: number;
}

/** What git tells of an update. */
interface UpdateContents extends NamedCommits {
  /** Of an annotated tag. */
  message: string | null;
}

const NOTHING: UpdateContents = { newest: [], total: 0, message: null };

/** Where a push goes, and whose it is. */
type Pushed = Pick<PushIntent, 'projectId' | 'userId'>;

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

/** A commit as it is told of (docs/reference/hooks.md#shared-objects). */
export interface PushedCommit {
  /** The whole hash. */
  id: string;
  message: string;
  /** When it was committed, in the committer's offset, without a fraction. */
  timestamp: string;
  url: string;
  author: { name: string; email: string };
}

/** What a push did to a ref, as the feeds tell it. */
export interface PushPayload {
  object_kind: 'push' | 'tag_push';
  /** Zeros for a new ref, as `after` is for a deleted one. */
  before: string;
  after: string;
  /** In full: `refs/heads/master`. */
  ref: string;
  /** Of an annotated tag. */
  message: string | null;
  user_id: number;
  user_name: string;
  project_id: number;
  repository: { name: string; url: string; description: string | null; homepage: string };
  /** The newest twenty of them, the oldest first. */
  commits: PushedCommit[];
  total_commits_count: number;
}

/** Describes what a push did to each ref, for feeds and hooks. */
@Injectable()
export class PushDescriber {
  private readonly logger = new Logger(PushDescriber.name);

  constructor(
    private readonly database: Database,
    private readonly urls: Urls,
  ) {}

  /**
   * Describes the updates of one push, which git has made; with the push lock held.
   * @throws Error (a programming mistake) when project or user do not exist
   */
  async describe(
    push: Pushed,
    repository: Repository,
    updates: readonly RefUpdate[],
    brought: Brought,
  ): Promise<PushedRefs> {
    const [names] = await this.database.rows<Names>(NAMES, [push.projectId, push.userId]);
    if (names === undefined) {
      throw new Error(`A push to project ${String(push.projectId)} is nobody's`);
    }
    return new PushedRefs(updates, async (batch) => {
      const contents = await this.contents(batch, brought, repository);
      return batch.map((update, at) => this.payload(push, names, update, contents[at] ?? NOTHING));
    });
  }

  /** What is told of each update; a push that has happened is recorded, whatever git can still say of it. */
  private async contents(
    updates: readonly RefUpdate[],
    brought: Brought,
    repository: Repository,
  ): Promise<UpdateContents[]> {
    try {
      const branches = await namedCommits(updates, brought, repository);
      const tags = await Promise.all(updates.map((update) => taggedCommit(update, repository)));
      const messages = await tagMessages(updates, repository);
      return branches.map((commits, at) => ({
        ...(tags[at] ?? commits),
        message: messages[at] ?? null,
      }));
    } catch (error) {
      if (!(error instanceof GitError) || error instanceof GitClosedError) throw error;
      this.logger.warn('Commits that were pushed cannot be told of', error);
      return [];
    }
  }

  private payload(
    { projectId, userId }: Pushed,
    names: Names,
    { ref, oldOid, newOid }: RefUpdate,
    { newest, total, message }: UpdateContents,
  ): PushPayload {
    return {
      object_kind: isTag(ref) ? 'tag_push' : 'push',
      before: oldOid,
      after: newOid,
      ref,
      message: message === null ? null : storable(message, MAX_MESSAGE),
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

  private commit({ fullPath }: Names, { oid, message, author, committer }: Commit): PushedCommit {
    return {
      id: oid,
      message: storable(message, MAX_MESSAGE),
      timestamp: formatHookDate(committer),
      url: this.urls.web(...fullPath.split('/'), 'commit', oid),
      author: { name: storable(author.name, MAX_NAME), email: storable(author.email, MAX_NAME) },
    };
  }
}

/** The commits that each update is told of with, in their order; read in one round. */
async function namedCommits(
  updates: readonly RefUpdate[],
  brought: Brought,
  { objects }: Repository,
): Promise<NamedCommits[]> {
  const oids = updates.map(({ ref }) => (brought.get(ref)?.newest ?? []).slice(0, TOLD));
  const commits = await objects.commits(oids.flat());
  let next = 0;
  return updates.map(({ ref }, at) => {
    const from = next;
    next += oids[at]?.length ?? 0;
    const newest = commits.slice(from, next).filter((commit) => commit !== null);
    return { newest, total: brought.get(ref)?.total ?? 0 };
  });
}

function isTag(ref: string): boolean {
  return ref.startsWith(TAG_PREFIX);
}

/** What annotated tags say; read in one round. */
async function tagMessages(
  updates: readonly RefUpdate[],
  { objects }: Repository,
): Promise<(string | null)[]> {
  const tags = updates.filter(({ ref, newOid }) => isTag(ref) && newOid !== ZERO_OID);
  if (tags.length === 0) return [];
  const found = await objects.tagMessages(tags.map(({ newOid }) => newOid));
  const messages = new Map(tags.map((update, at) => [update, found[at] ?? null]));
  return updates.map((update) => messages.get(update) ?? null);
}

/** None behind a deleted tag and a tag of something else; null for a branch. */
async function taggedCommit(
  { ref, newOid: target }: RefUpdate,
  repository: Repository,
): Promise<NamedCommits | null> {
  if (!isTag(ref)) return null;
  if (target === ZERO_OID) return NOTHING;
  const oid = await repository.objects.peelToCommit(target);
  const commit = oid === null ? null : await repository.objects.commit(oid);
  return commit === null ? NOTHING : { newest: [commit], total: 1 };
}
