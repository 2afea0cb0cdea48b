import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
  VirtualColumn,
} from 'typeorm';

type UserState = 'active' | 'blocked';

/** An account. */
@Entity('users')
@Index('users_private_token_digest_key', ['privateTokenDigest'], { unique: true })
@Index('users_email_key', ['email'], { unique: true, where: 'deleted_at IS NULL AND NOT ghost' })
@Index('users_ghost_key', ['ghost'], { unique: true, where: 'ghost' })
@Index('users_living_idx', ['id'], { where: 'deleted_at IS NULL AND NOT ghost' })
@Index('users_blocked_idx', ['id'], {
  where: "state = 'blocked' AND deleted_at IS NULL AND NOT ghost",
})
@Index('users_external_idx', ['id'], { where: 'external AND deleted_at IS NULL AND NOT ghost' })
// Indexes on expressions and operator classes, which decorators cannot describe; a migration creates them.
@Index('users_username_key', { synchronize: false })
@Index('users_search_idx', { synchronize: false })
export class User {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'users_pkey' })
  id!: number;

  @Column({ type: 'varchar', length: 255 })
  username!: string;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  /** Primary address, lower-case. */
  @Column({ type: 'varchar', length: 255 })
  email!: string;

  @Column({ type: 'varchar', length: 255 })
  passwordHash!: string;

  /** Keyed hash by which a presented token is looked up. */
  @Column({ type: 'char', length: 64 })
  privateTokenDigest!: string;

  /** The token itself, encrypted: signing in shows the same token every time. */
  @Column({ type: 'text' })
  privateTokenSealed!: string;

  @Column({ type: 'varchar', length: 16, default: 'active' })
  state!: UserState;

  @Column({ type: 'boolean', default: false })
  admin!: boolean;

  @Column({ type: 'boolean', default: false })
  external!: boolean;

  /** The built-in account to which the contributions of deleted users are attributed. */
  @Column({ type: 'boolean', default: false })
  ghost!: boolean;

  /** Blocked by a directory, which alone may unblock it; no endpoint sets this. */
  @Column({ type: 'boolean', default: false })
  directoryBlocked!: boolean;

  @Column({ type: 'boolean', default: true })
  canCreateGroup!: boolean;

  @Column({ type: 'int', default: 10 })
  projectsLimit!: number;

  @Column({ type: 'varchar', length: 255, nullable: true })
  bio!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  location!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  messenger!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  professionalProfile!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  microblog!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  websiteUrl!: string | null;

  @Column({ type: 'varchar', length: 255, nullable: true })
  organization!: string | null;

  @Column({ type: 'smallint', default: 2 })
  themeId!: number;

  @Column({ type: 'smallint', default: 1 })
  colorSchemeId!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  confirmedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  currentSignInAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastSignInAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  /** The current setting `avatar_service_enabled`, read along so that presenters need no query. */
  @VirtualColumn({
    type: 'boolean',
    query: () => 'SELECT avatar_service_enabled FROM application_settings WHERE id = 1',
  })
  avatarServiceEnabled!: boolean;

  /** Set: deleted for every reader; a background job erases the account. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;

  /** Undefined unless they were read with the account. */
  details?: UserDetails | undefined;
}

/** What the full view of an account shows from other tables. */
export interface UserDetails {
  /** Number of projects in the personal namespace. */
  readonly personalProjects: number;
  /** Of the personal namespace; null for an account that has none, such as the ghost account. */
  readonly namespaceId: number | null;
  /** In the order of the providers' names. */
  readonly identities: readonly Pick<Identity, 'provider' | 'externUid'>[];
}

/** An account at an external provider. */
@Entity('identities')
@Index('identities_extern_uid_key', ['provider', 'externUid'], { unique: true })
export class Identity {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'identities_pkey' })
  @ForeignKey(() => User, { name: 'identities_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  @PrimaryColumn({ type: 'varchar', length: 255, primaryKeyConstraintName: 'identities_pkey' })
  provider!: string;

  @Column({ type: 'varchar', length: 255 })
  externUid!: string;
}

/** A secondary address of an account besides the primary one, which is a column of `users`. */
@Entity('emails')
@Index('emails_email_key', ['email'], { unique: true })
@Index('emails_user_idx', ['userId', 'id'])
export class Email {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'emails_pkey' })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'emails_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  /** Lower-case. */
  @Column({ type: 'varchar', length: 255 })
  email!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
