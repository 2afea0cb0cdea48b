import type { PushedRef } from '../../activity/index.js';
import type { EmojiAwarded, NoteWritten } from '../../issuables/index.js';
import type { IssueChanged } from '../../issues/index.js';
import type { MergeRequestChanged } from '../../merge-requests/index.js';
import type {
  CombinedState,
  CommentedCommit,
  CommitStatusChanged,
  PushRecorded,
  ReleaseChanged,
} from '../../repository/index.js';
import type { HookKind, HookVersion } from '../model/hook.entity.js';

/** Whether payloads of a kind get the files of their commits only when they are delivered. */
export const lacksFiles = (kind: HookKind): boolean => kind === 'push' || kind === 'tag_push';

/** The user and project of a push. */
export type PushedBy = Pick<PushRecorded, 'projectId' | 'userId'>;

/** The project of a payload that is completed. */
export interface CompletionSource {
  /** Of the hook; null for system hooks. */
  readonly projectId: number | null;
  /** Whether git may be asked. */
  readonly readsGit: boolean;
}

/**
 * Builds the payloads of one version of the API. Each method returns null, or nothing, where the version does not know the event,
 * and where its objects do not exist any more.
 */
export abstract class HookPayloads {
  abstract readonly version: HookVersion;

  /** Builds one payload for each ref, without the files of its commits. */
  abstract buildPushes(push: PushedBy, refs: readonly PushedRef[]): Promise<object[]>;

  /** Builds the event that a push has changed a repository. @param refs at most a thousand */
  abstract buildRepositoryUpdate(
    push: PushedBy,
    refs: readonly Pick<PushedRef, 'ref' | 'oldOid' | 'newOid'>[],
  ): Promise<object | null>;

  abstract buildIssue(event: IssueChanged): Promise<object | null>;

  /** Builds a payload that has only the ID of its commit. */
  abstract buildMergeRequest(event: MergeRequestChanged): Promise<object | null>;

  /** Builds a payload that has only the ID of the commit of a merge request. */
  abstract buildNote(event: NoteWritten): Promise<object | null>;

  /** @param known what the comment is on; without it git is asked, which no transaction may wait for */
  abstract buildCommitComment(commentId: number, known?: CommentedCommit): Promise<object | null>;

  /** @param pipelineState the combined state of the statuses of its commit and ref */
  abstract buildCommitStatus(
    statusId: number,
    pipelineState: CombinedState | null,
  ): Promise<object | null>;

  abstract buildPipeline(event: CommitStatusChanged): Promise<object | null>;

  abstract buildRelease(event: ReleaseChanged): Promise<object | null>;

  abstract buildEmoji(event: EmojiAwarded): Promise<object | null>;

  /**
   * Presents to system hooks an event of accounts, keys, groups, projects or members (`system`), or a payload of `buildPushes`.
   */
  abstract presentForInstance(kind: HookKind, event: object): object;

  /**
   * Adds what git knows to the payload of an event: the files of the commits of a push, the commit that another event is
   * about. Nothing is added for commits that no longer exist.
   */
  abstract complete(kind: HookKind, payload: object, source: CompletionSource): Promise<object>;
}

/** The payloads of all versions. */
export class PayloadVersions {
  private readonly payloads: ReadonlyMap<HookVersion, HookPayloads>;

  constructor(all: readonly HookPayloads[]) {
    this.payloads = new Map(all.map((each) => [each.version, each]));
  }

  of(version: HookVersion): HookPayloads {
    const payloads = this.payloads.get(version);
    if (payloads === undefined) throw new Error(`Hooks have no version ${String(version)}`);
    return payloads;
  }
}
