import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** The settings of the instance: one row with `id` 1, which a migration inserts. */
@Entity('application_settings')
export class ApplicationSettings {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'application_settings_pkey' })
  id!: number;

  @Column({ type: 'int', default: 10 })
  defaultProjectsLimit!: number;

  /** 0 private, 1 internal, 2 public. */
  @Column({ type: 'smallint', default: 0 })
  defaultProjectVisibility!: number;

  /** 0 none, 1 developers may push, 2 full. */
  @Column({ type: 'smallint', default: 2 })
  defaultBranchProtection!: number;

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

  /** 0, 1, 2: levels that only administrators may give to projects and groups; null: none. */
  @Column({ type: 'smallint', array: true, nullable: true })
  restrictedVisibilityLevels!: number[] | null;

  /** MiB of one upload. */
  @Column({ type: 'int', default: 10 })
  maxAttachmentSize!: number;

  /** Minutes. */
  @Column({ type: 'int', default: 10_080 })
  sessionExpireDelay!: number;

  @Column({ type: 'smallint', default: 0 })
  defaultSnippetVisibility!: number;

  /** 0, 1, 2; null is public. */
  @Column({ type: 'smallint', nullable: true })
  defaultGroupVisibility!: number | null;

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
