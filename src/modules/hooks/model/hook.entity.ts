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

/**
 * The kinds of event that hooks of projects can subscribe to: the column of `hooks` that
 * subscribes to them, and the `X-Gitlab-Event` of their deliveries. See docs/reference/hooks.md#the-request.
 */
export const HOOK_KINDS = {
  push: { column: 'push_events', header: 'Push Hook' },
  tag_push: { column: 'tag_push_events', header: 'Tag Push Hook' },
  issue: { column: 'issues_events', header: 'Issue Hook' },
  note: { column: 'note_events', header: 'Note Hook' },
  merge_request: { column: 'merge_requests_events', header: 'Merge Request Hook' },
  build: { column: 'build_events', header: 'Build Hook' },
  pipeline: { column: 'pipeline_events', header: 'Pipeline Hook' },
  wiki_page: { column: 'wiki_page_events', header: 'Wiki Page Hook' },
  release: { column: 'releases_events', header: 'Release Hook' },
} as const;

export type ProjectHookKind = keyof typeof HOOK_KINDS;

export const PROJECT_HOOK_KINDS = Object.keys(HOOK_KINDS) as ProjectHookKind[];

/** The kinds of system hooks: pushes for those that subscribe to them, all other events as `system`. */
export const SYSTEM_HOOK_KINDS = ['push', 'tag_push', 'system'] as const;

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

  /** Only version 4 sets it: hooks that were made through version 3 get no kinds that it does not know. */
  @Column({ type: 'boolean', default: false })
  releasesEvents!: boolean;

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
