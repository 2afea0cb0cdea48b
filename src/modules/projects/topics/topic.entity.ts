import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A topic of projects. It exists from the first project that has it on, and keeps the spelling of that time. */
@Entity('topics')
// In lower case; a migration creates it.
@Index('topics_name_key', { synchronize: false })
// By each number of projects, descending; a migration creates them.
@Index('topics_count_idx', { synchronize: false })
@Index('topics_internal_count_idx', { synchronize: false })
@Index('topics_public_count_idx', { synchronize: false })
// Trigrams of the name; a migration creates it.
@Index('topics_search_idx', { synchronize: false })
export class Topic {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'topics_pkey' })
  id!: number;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  /** Projects that have it and are not deleted, private ones included; counted by a trigger, as the next ones. */
  @Column({ type: 'int', default: 0 })
  projectsCount!: number;

  /** Those that are internal or public. */
  @Column({ type: 'int', default: 0 })
  internalProjectsCount!: number;

  /** Those that are public. */
  @Column({ type: 'int', default: 0 })
  publicProjectsCount!: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
