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

/**
 * The release of a tag: release notes of the version that the tag marks
 * (docs/reference/tags.md#post-projectsidrepositorytagstag_namerelease). It is deleted with the tag.
 */
@Entity('releases')
@Index('releases_tag_key', ['projectId', 'tag'], { unique: true })
export class Release {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'releases_pkey' })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'releases_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'varchar', length: 255 })
  tag!: string;

  @Column({ type: 'text' })
  description!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
