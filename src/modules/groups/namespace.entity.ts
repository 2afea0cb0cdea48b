import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { User } from '../users/index.js';

/** Where projects live: a user's personal namespace (`ownerId` set) or a group (null). */
@Entity('namespaces')
@Index('namespaces_owner_key', ['ownerId'], { unique: true })
@Index('namespaces_group_name_key', ['name'], {
  unique: true,
  where: 'owner_id IS NULL AND deleted_at IS NULL',
})
@Index('namespaces_group_path_idx', ['path', 'id'], {
  where: 'owner_id IS NULL AND deleted_at IS NULL',
})
// Expressions and operator classes: the decorator knows none, the migration makes these.
@Index('namespaces_path_key', { synchronize: false })
@Index('namespaces_search_idx', { synchronize: false })
export class Namespace {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'namespaces_pkey' })
  id!: number;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  @Column({ type: 'varchar', length: 255 })
  path!: string;

  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => User, { name: 'namespaces_owner_fkey' })
  ownerId!: number | null;

  @Column({ type: 'text', default: '' })
  description!: string;

  @Column({ type: 'smallint', default: 20 })
  visibilityLevel!: number;

  @Column({ type: 'boolean', default: false })
  shareWithGroupLock!: boolean;

  @Column({ type: 'boolean', default: false })
  requestAccessEnabled!: boolean;

  @Column({ type: 'boolean', default: true })
  lfsEnabled!: boolean;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  /** Set: gone for every reader; a background job removes its projects and then it. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
