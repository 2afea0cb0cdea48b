import { Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/**
 * The size of a project on the disk, in bytes. The row is created when a file is first stored under
 * `PROJECT_MAX_BYTES`. Writers add to it; housekeeping and a daily job correct it by measuring.
 */
@Entity('project_sizes')
export class ProjectSize {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'project_sizes_pkey' })
  @ForeignKey('Project', { name: 'project_sizes_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'bigint' })
  repositoryBytes!: string;

  @Column({ type: 'bigint' })
  uploadsBytes!: string;

  /** The sum of the project's reservations. */
  @Column({ type: 'bigint', default: 0 })
  reservedBytes!: string;

  /** The bytes that writers have ever added: shows a measurement what was added while it ran. */
  @Column({ type: 'bigint', default: 0 })
  repositoryAdded!: string;

  @Column({ type: 'bigint', default: 0 })
  uploadsAdded!: string;
}

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
