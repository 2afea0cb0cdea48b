import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { Project } from '../../projects/index.js';
import type { BranchFilterStrategy } from './branch-filter.js';

/** The versions of the API, of which each has payloads and headers of its own. */
export const HOOK_VERSIONS = [3, 4] as const;

export type HookVersion = (typeof HOOK_VERSIONS)[number];

/** The column of `hooks` that subscribes to each kind of event of projects. */
export const HOOK_KINDS = {
  push: 'push_events',
  tag_push: 'tag_push_events',
  issue: 'issues_events',
  confidential_issue: 'confidential_issues_events',
  note: 'note_events',
  confidential_note: 'confidential_note_events',
  merge_request: 'merge_requests_events',
  build: 'build_events',
  pipeline: 'pipeline_events',
  wiki_page: 'wiki_page_events',
  release: 'releases_events',
  emoji: 'emoji_events',
} as const;

/** The kinds of event that only hooks of version 4 get. */
export const KINDS_OF_VERSION_4: readonly HookKind[] = [
  'confidential_issue',
  'confidential_note',
  'emoji',
  'release',
  'repository_update',
];

export type ProjectHookKind = keyof typeof HOOK_KINDS;

export const PROJECT_HOOK_KINDS = Object.keys(HOOK_KINDS) as ProjectHookKind[];

export const SAMPLE_KINDS = [
  'push',
  'tag_push',
  'issue',
  'confidential_issue',
  'note',
  'confidential_note',
  'merge_request',
  'build',
  'pipeline',
  'wiki_page',
  'release',
  'emoji',
] as const satisfies readonly ProjectHookKind[];

/** The kinds of test delivery. */
export type SampleKind = (typeof SAMPLE_KINDS)[number];

/**
 * The kinds of system hooks, for those that subscribe to them, and all other events as `system`. Merge requests and updates of
 * repositories are for those of version 4.
 */
export const SYSTEM_HOOK_KINDS = [
  'push',
  'tag_push',
  'merge_request',
  'repository_update',
  'system',
] as const;

export type SystemHookKind = (typeof SYSTEM_HOOK_KINDS)[number];

export type HookKind = ProjectHookKind | SystemHookKind;

/**
 * Why a hook is disabled: its receiver responded 410, no delivery succeeded for three days, or it came from another
 * server without its secrets and has not been changed since.
 */
export type DisabledReason = 'gone' | 'failing' | 'imported';

/** A hook of a project or, as a system hook, of the instance. See docs/reference/hooks.md#the-hook-object. */
@Entity('hooks')
@Index('hooks_project_idx', ['projectId', 'id'])
@Index('hooks_disabled_idx', ['disabledReason'], { where: 'disabled_at IS NOT NULL' })
export class Hook {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'hooks_pkey' })
  id!: number;

  /** Null for system hooks. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Project, { name: 'hooks_project_fkey', onDelete: 'CASCADE' })
  projectId!: number | null;

  /**
   * The version of the API that its maker used: hooks keep its payloads and headers, through whichever version they are changed
   * (docs/decisions/0078-hooks-of-version-4.md).
   */
  @Column({ type: 'smallint', default: 3 })
  apiVersion!: HookVersion;

  /** Identifies a hook of version 4 to its receiver. */
  @Column({ type: 'uuid', nullable: true })
  uuid!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  name!: string | null;

  @Column({ type: 'varchar', length: 2048, nullable: true })
  description!: string | null;

  /** User and password in it are sent as basic authentication; the password is stored here as `***`. */
  @Column({ type: 'text' })
  url!: string;

  /** The password and the receiver it is for, encrypted by `Secrets.seal`; see `hook-secrets.ts`. */
  @Column({ type: 'text', nullable: true })
  passwordSealed!: string | null;

  /** The token that deliveries carry and are signed with, encrypted by `Secrets.seal`. */
  @Column({ type: 'text', nullable: true })
  tokenSealed!: string | null;

  @Column({ type: 'boolean', default: true })
  pushEvents!: boolean;

  @Column({ type: 'boolean', default: false })
  tagPushEvents!: boolean;

  @Column({ type: 'boolean', default: false })
  issuesEvents!: boolean;

  @Column({ type: 'boolean', default: false })
  noteEvents!: boolean;

  @Column({ type: 'boolean', default: false })
  mergeRequestsEvents!: boolean;

  @Column({ type: 'boolean', default: false })
  buildEvents!: boolean;

  @Column({ type: 'boolean', default: false })
  pipelineEvents!: boolean;

  @Column({ type: 'boolean', default: false })
  wikiPageEvents!: boolean;

  /** Only version 4 sets it, like the next ones. */
  @Column({ type: 'boolean', default: false })
  releasesEvents!: boolean;

  /** Null, like the next, where it was never set. */
  @Column({ type: 'boolean', nullable: true })
  confidentialIssuesEvents!: boolean | null;

  @Column({ type: 'boolean', nullable: true })
  confidentialNoteEvents!: boolean | null;

  @Column({ type: 'boolean', default: false })
  emojiEvents!: boolean;

  /** Of system hooks. */
  @Column({ type: 'boolean', default: false })
  repositoryUpdateEvents!: boolean;

  /** The branches whose pushes are sent, as the strategy reads it; null and empty are all. */
  @Column({ type: 'varchar', length: 5000, nullable: true })
  pushEventsBranchFilter!: string | null;

  @Column({ type: 'varchar', length: 16, default: 'wildcard' })
  branchFilterStrategy!: BranchFilterStrategy;

  /** Headers and the server they are for, encrypted by `Secrets.seal`; see `hook-secrets.ts`. */
  @Column({ type: 'text', nullable: true })
  customHeadersSealed!: string | null;

  /** The names of these headers, in order. */
  @Column({ type: 'text', array: true, default: '{}' })
  customHeaderNames!: readonly string[];

  /** What stands for each `{name}` in the URL, with the server, encrypted. */
  @Column({ type: 'text', nullable: true })
  urlVariablesSealed!: string | null;

  @Column({ type: 'text', array: true, default: '{}' })
  urlVariableNames!: readonly string[];

  @Column({ type: 'boolean', default: true })
  enableSslVerification!: boolean;

  /** When the first attempt after the last success failed; null while deliveries succeed. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  failingSince!: Date | null;

  /** When deliveries stopped. Updating the hook or repeating a delivery enables it again. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  disabledAt!: Date | null;

  @Column({ type: 'varchar', length: 16, nullable: true })
  disabledReason!: DisabledReason | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}

/** The columns that subscribe to kinds of event. */
export type HookFlag = Extract<keyof Hook, `${string}Events`>;
