import { storedAs } from '../../platform/database/index.js';
import type { Visibility } from '../authorization/index.js';
import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** The settings store lower numbers than projects and groups do. */
const VISIBILITY = storedAs({ private: 0, internal: 1, public: 2 } satisfies Record<
  Visibility,
  number
>);

/** Which rule the first push to a project makes for its default branch (docs/reference/branches.md#default-branch-protection). */
export const BRANCH_PROTECTIONS = ['none', 'partial', 'full'] as const;

/** `partial` lets developers push. */
export type DefaultBranchProtection = (typeof BRANCH_PROTECTIONS)[number];

const PROTECTION = storedAs({ none: 0, partial: 1, full: 2 } satisfies Record<
  DefaultBranchProtection,
  number
>);

/** The settings of the instance: one row with `id` 1, which a migration inserts. */
@Entity('application_settings')
export class ApplicationSettings {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'application_settings_pkey' })
  id!: number;

  @Column({ type: 'int', default: 10 })
  defaultProjectsLimit!: number;

  @Column({ type: 'smallint', default: 0, transformer: VISIBILITY })
  defaultProjectVisibility!: Visibility;

  @Column({ type: 'smallint', default: 2, transformer: PROTECTION })
  defaultBranchProtection!: DefaultBranchProtection;

  @Column({ type: 'boolean', default: true })
  signupEnabled!: boolean;

  /** False: only administrators sign in by password; tokens and SSH keys still work. */
  @Column({ type: 'boolean', default: true })
  signinEnabled!: boolean;

  @Column({ type: 'boolean', default: true })
  avatarServiceEnabled!: boolean;

  @Column({ type: 'text', nullable: true })
  signInText!: string | null;

  @Column({ type: 'text', nullable: true })
  afterSignUpText!: string | null;

  @Column({ type: 'text', nullable: true })
  homePageUrl!: string | null;

  /** What only administrators may give to projects and groups; null: none. */
  @Column({ type: 'smallint', array: true, nullable: true, transformer: VISIBILITY })
  restrictedVisibilityLevels!: Visibility[] | null;

  /** MiB of one upload. */
  @Column({ type: 'int', default: 10 })
  maxAttachmentSize!: number;

  /** Minutes. */
  @Column({ type: 'int', default: 10_080 })
  sessionExpireDelay!: number;

  @Column({ type: 'smallint', default: 0, transformer: VISIBILITY })
  defaultSnippetVisibility!: Visibility;

  /** Null is public. */
  @Column({ type: 'smallint', nullable: true, transformer: VISIBILITY })
  defaultGroupVisibility!: Visibility | null;

  @Column({ type: 'text', array: true, nullable: true })
  domainWhitelist!: string[] | null;

  @Column({ type: 'boolean', default: false })
  domainBlacklistEnabled!: boolean;

  @Column({ type: 'text', array: true, default: '{}' })
  domainBlacklist!: string[];

  @Column({ type: 'boolean', default: true })
  userOauthApplications!: boolean;

  @Column({ type: 'text', nullable: true })
  afterSignOutPath!: string | null;

  /** Minutes. */
  @Column({ type: 'int', default: 5 })
  containerRegistryTokenExpireDelay!: number;

  /** Names of the storages that new projects are spread over. */
  @Column({ type: 'text', array: true, default: '{default}' })
  repositoryStorages!: string[];

  /** `ssh`, `http` or null for both. */
  @Column({ type: 'varchar', length: 8, nullable: true })
  enabledGitAccessProtocol!: string | null;

  @Column({ type: 'boolean', default: false })
  integrationEnabled!: boolean;

  @Column({ type: 'text', nullable: true })
  integrationUrl!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
