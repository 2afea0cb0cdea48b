import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { Project } from '../projects/index.js';

/** Why a hook is disabled: its receiver answered 410, or had no success for three days. */
export type DisabledReason = 'gone' | 'failing';

/** An address that is told of events: of one project, or as a system hook of all (open points 7). */
@Entity('hooks')
@Index('hooks_project_idx', ['projectId', 'id'])
export class Hook {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'hooks_pkey' })
  id!: number;

  /** Null for system hooks. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => Project, { name: 'hooks_project_fkey', onDelete: 'CASCADE' })
  projectId!: number | null;

  /** A user and a password in it are sent as basic authentication; the password stands here as `***`. */
  @Column({ type: 'text' })
  url!: string;

  /** The password and whose it is, encrypted by `Secrets.seal`; see `hook-address.ts`. */
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

  @Column({ type: 'boolean', default: true })
  enableSslVerification!: boolean;

  /** When the first attempt since the last success failed; null while deliveries succeed. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  failingSince!: Date | null;

  /** Set: nothing is delivered any more, until the hook is edited or a delivery repeated. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  disabledAt!: Date | null;

  @Column({ type: 'varchar', length: 16, nullable: true })
  disabledReason!: DisabledReason | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
