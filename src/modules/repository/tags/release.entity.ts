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
import { User } from '../../users/index.js';

/**
 * The release of a tag: release notes of the version that the tag marks
 * (docs/reference/tags.md#post-projectsidrepositorytagstag_namerelease). It is deleted with the tag.
 */
@Entity('releases')
@Index('releases_tag_key', ['projectId', 'tag'], { unique: true })
// By the project and each of the times in which lists are ordered; of the date of the release a migration creates it.
@Index('releases_released_idx', { synchronize: false })
@Index('releases_created_idx', ['projectId', 'createdAt', 'id'])
@Index('releases_updated_idx', ['projectId', 'updatedAt', 'id'])
@Index('releases_author_idx', ['authorId', 'id'], { where: 'author_id IS NOT NULL' })
export class Release {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'releases_pkey' })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Project, { name: 'releases_project_fkey', onDelete: 'CASCADE' })
  projectId!: number;

  @Column({ type: 'varchar', length: 255 })
  tag!: string;

  /** Null: the name of the tag. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  name!: string | null;

  /** Empty where none is given. */
  @Column({ type: 'text' })
  description!: string;

  /** Null: when it was created. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  releasedAt!: Date | null;

  /** Null where an older version created it. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => User, { name: 'releases_author_fkey', onDelete: 'SET NULL' })
  authorId!: number | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
