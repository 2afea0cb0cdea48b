import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** The instance's settings (specification 4.9): one row, made by a migration, with `id` 1. */
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

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
