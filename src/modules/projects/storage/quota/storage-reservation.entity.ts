import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { ProjectSize } from './project-size.entity.js';

/** The part of a project that a file belongs to. */
export type StoragePart = 'repository' | 'uploads';

/**
 * Bytes that are about to be stored in a project. The row is deleted when they are counted. An expired one was
 * left by a process that died, and counts until the project is measured.
 */
@Entity('storage_reservations')
@Index('storage_reservations_project_idx', ['projectId'])
@Index('storage_reservations_expiry_idx', ['expiresAt'])
export class StorageReservation {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    primaryKeyConstraintName: 'storage_reservations_pkey',
  })
  id!: string;

  @Column({ type: 'int' })
  @ForeignKey(() => ProjectSize, {
    name: 'storage_reservations_project_fkey',
    onDelete: 'CASCADE',
  })
  projectId!: number;

  @Column({ type: 'varchar', length: 16 })
  part!: StoragePart;

  @Column({ type: 'bigint' })
  bytes!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
