import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { Project } from '../../projects/index.js';

/** A label of a project (docs/reference/labels.md#the-label-object). */
@Entity('labels')
@Index('labels_name_key', ['projectId', 'name'], { unique: true })
export class Label {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'labels_pkey' })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'labels_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  /** `#` and 6 or 3 hexadecimal digits. */
  @Column({ type: 'varchar', length: 7 })
  color!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'int', nullable: true })
  priority!: number | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
