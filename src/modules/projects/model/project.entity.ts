import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { type Visibility, visibilityTransformer } from '../../authorization/index.js';
import { Namespace } from '../../groups/index.js';
import { User } from '../../users/index.js';

export const MERGE_METHODS = ['merge', 'rebase_merge', 'ff'] as const;

/**
 * How merge requests are merged. `merge`: by a merge commit. `rebase_merge`: the same, if the source branch is based on the
 * head of the target branch. `ff`: the target branch moves to the head of such a source branch.
 */
export type MergeMethod = (typeof MERGE_METHODS)[number];

export const SQUASH_OPTIONS = ['never', 'always', 'default_on', 'default_off'] as const;

/** Whether merges squash. `default_on` and `default_off` leave it to the merge request and to the user who merges it. */
export type SquashOption = (typeof SQUASH_OPTIONS)[number];

/** `copying` from the source of a fork, or `importing` from an address; pushes wait until it is `ready`. */
export type RepositoryState = 'ready' | 'copying' | 'importing';

/**
 * A project (docs/reference/projects.md#the-project-object). The path of its repository depends on `id` and
 * `storage` only.
 */
@Entity('projects')
@Index('projects_created_idx', ['createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('projects_archived_idx', ['createdAt', 'id'], { where: 'archived AND deleted_at IS NULL' })
@Index('projects_updated_idx', ['updatedAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('projects_activity_idx', ['lastActivityAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('projects_name_idx', ['name', 'id'], { where: 'deleted_at IS NULL' })
@Index('projects_path_idx', ['path', 'id'], { where: 'deleted_at IS NULL' })
@Index('projects_namespace_idx', ['namespaceId', 'createdAt', 'id'], {
  where: 'deleted_at IS NULL',
})
// All columns that counting a list needs, so that it reads the index alone.
@Index('projects_listing_idx', ['visibility', 'archived'], { where: 'deleted_at IS NULL' })
@Index('projects_creator_idx', ['creatorId'])
// Unique among the projects that are not deleted, the path in lower case; a migration creates them.
@Index('projects_path_key', { synchronize: false })
@Index('projects_name_key', { synchronize: false })
// Elements of the topics; a migration creates it.
@Index('projects_topics_idx', { synchronize: false })
// Trigrams of name, path and description; a migration creates it.
@Index('projects_search_idx', { synchronize: false })
export class Project {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'projects_pkey' })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Namespace, { name: 'projects_namespace_fkey' })
  namespaceId!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'projects_creator_fkey' })
  creatorId!: number;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  @Column({ type: 'varchar', length: 255 })
  path!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ name: 'visibility_level', type: 'smallint', transformer: visibilityTransformer })
  visibility!: Visibility;

  /** Names as the topics have them, in the order in which they were given; `MAX_TOPICS` at most. */
  @Column({ type: 'text', array: true, default: '{}' })
  topics!: readonly string[];

  @Column({ type: 'boolean', default: false })
  archived!: boolean;

  /** Null until the first commit is pushed. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  defaultBranch!: string | null;

  @Column({ type: 'boolean', default: true })
  issuesEnabled!: boolean;

  @Column({ type: 'boolean', default: true })
  mergeRequestsEnabled!: boolean;

  @Column({ type: 'boolean', default: true })
  wikiEnabled!: boolean;

  @Column({ type: 'boolean', default: true })
  buildsEnabled!: boolean;

  @Column({ type: 'boolean', default: false })
  snippetsEnabled!: boolean;

  @Column({ type: 'boolean', default: true })
  containerRegistryEnabled!: boolean;

  @Column({ type: 'boolean', default: true })
  sharedRunnersEnabled!: boolean;

  @Column({ type: 'boolean', default: true })
  publicBuilds!: boolean;

  @Column({ type: 'boolean', default: true })
  lfsEnabled!: boolean;

  @Column({ type: 'boolean', default: false })
  requestAccessEnabled!: boolean;

  @Column({ type: 'boolean', default: false })
  onlyAllowMergeIfBuildSucceeds!: boolean;

  @Column({ type: 'boolean', default: false })
  onlyAllowMergeIfAllDiscussionsAreResolved!: boolean;

  @Column({ type: 'varchar', length: 16, default: 'merge' })
  mergeMethod!: MergeMethod;

  @Column({ type: 'varchar', length: 16, default: 'default_off' })
  squashOption!: SquashOption;

  /** How many approvals a merge request needs to be merged. */
  @Column({ type: 'int', default: 0 })
  approvalsBeforeMerge!: number;

  /** Whether other commits, or another target branch, end the approvals of a merge request. */
  @Column({ type: 'boolean', default: false })
  resetApprovalsOnPush!: boolean;

  @Column({ type: 'int', default: 0 })
  starCount!: number;

  @Column({ type: 'int', default: 0 })
  forksCount!: number;

  /** The branch that the first commit makes the default one; null is `master`. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  initialBranch!: string | null;

  @Column({ type: 'varchar', length: 16, default: 'ready' })
  repositoryState!: RepositoryState;

  /** Rises with each recorded push (docs/decisions/0063-shared-repositories.md). */
  @Column({ type: 'int', default: 0 })
  refsVersion!: number;

  /** Name of the storage root that holds the repository. */
  @Column({ type: 'varchar', length: 64, default: 'default' })
  storage!: string;

  /** The runners' registration token, encrypted. */
  @Column({ type: 'text' })
  runnersTokenSealed!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  lastActivityAt!: Date;

  /** Set: deleted for every reader; a background job removes its files and rows. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
