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
import { User } from '../../users/index.js';

/** A namespace of projects: the personal one of a user (`ownerId` set) or a group (null). */
@Entity('namespaces')
@Index('namespaces_owner_key', ['ownerId'], { unique: true })
@Index('namespaces_group_name_key', ['name'], {
  unique: true,
  where: 'owner_id IS NULL AND deleted_at IS NULL',
})
@Index('namespaces_group_path_idx', ['path', 'id'], {
  where: 'owner_id IS NULL AND deleted_at IS NULL',
})
// Indexes on expressions and operator classes, which decorators cannot describe; a migration creates them.
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

  @Column({
    name: 'visibility_level',
    type: 'smallint',
    default: 20,
    transformer: visibilityTransformer,
  })
  visibility!: Visibility;

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

  /** Set: deleted for every reader; background jobs remove its projects and then its row. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
