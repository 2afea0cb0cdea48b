import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { User } from '../model/user.entity.js';

/** A browser that has signed in. Other credentials than its cookie, and the API, know nothing of it. */
@Entity('web_sessions')
@Index('web_sessions_token_hash_key', ['tokenHash'], { unique: true })
@Index('web_sessions_user_idx', ['userId', 'id'])
@Index('web_sessions_expires_at_idx', ['expiresAt'])
export class WebSession {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    primaryKeyConstraintName: 'web_sessions_pkey',
  })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'web_sessions_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  /** SHA-256 of the token in the cookie, in hexadecimal digits. */
  @Column({ type: 'char', length: 64 })
  tokenHash!: string;

  /** IP address of the client that signed in. */
  @Column({ type: 'varchar', length: 45 })
  address!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Written every few minutes only. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  lastUsedAt!: Date;

  /** The latest end of the session; one that is not used ends earlier. */
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
