import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';

export type UserState = 'active' | 'blocked';

/** An account (specification 2.15; open points 5.15). */
@Entity('users')
@Index('users_email_key', ['email'], { unique: true })
@Index('users_private_token_digest_key', ['privateTokenDigest'], { unique: true })
// On lower(username): the decorator knows no expressions, the migration makes it.
@Index('users_username_key', { synchronize: false })
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

  /** Keyed hash: what a presented token is looked up by. */
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
}
