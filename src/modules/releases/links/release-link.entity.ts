import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { Release } from '../../repository/index.js';

export const LINK_TYPES = ['other', 'runbook', 'image', 'package'] as const;

export type LinkType = (typeof LINK_TYPES)[number];

/** A link of a release to one of its assets (docs/reference/v4-releases.md#links). */
@Entity('release_links')
@Index('release_links_name_key', ['releaseId', 'name'], { unique: true })
@Index('release_links_url_key', ['releaseId', 'url'], { unique: true })
@Index('release_links_filepath_key', ['releaseId', 'filepath'], { unique: true })
@Index('release_links_release_idx', ['releaseId', 'id'])
export class ReleaseLink {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    primaryKeyConstraintName: 'release_links_pkey',
  })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => Release, { name: 'release_links_release_fkey', onDelete: 'CASCADE' })
  releaseId!: number;

  @Column({ type: 'varchar', length: 255 })
  name!: string;

  @Column({ type: 'varchar', length: 2048 })
  url!: string;

  /** Where the service redirects to the asset from, with a slash before it. */
  @Column({ type: 'varchar', length: 128, nullable: true })
  filepath!: string | null;

  @Column({ type: 'varchar', length: 8, default: 'other' })
  linkType!: LinkType;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
