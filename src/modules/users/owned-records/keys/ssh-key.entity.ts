import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import { User } from '../../model/user.entity.js';

/** A public key for Git over SSH. */
@Entity('ssh_keys')
@Index('ssh_keys_fingerprint_key', ['fingerprint'], { unique: true })
@Index('ssh_keys_user_idx', ['userId', 'id'])
// An index of the SHA-256 of the key's bytes, which the migration creates.
@Index('ssh_keys_digest_idx', { synchronize: false })
@Index('ssh_keys_deploy_idx', ['id'], { where: 'user_id IS NULL' })
export class SshKey {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'ssh_keys_pkey' })
  id!: number;

  /** Null for deploy keys, which are linked to projects; fingerprints are unique over both kinds. */
  @Column({ type: 'int', nullable: true })
  @ForeignKey(() => User, { name: 'ssh_keys_user_fkey', onDelete: 'CASCADE' })
  userId!: number | null;

  @Column({ type: 'varchar', length: 255 })
  title!: string;

  /** One line in OpenSSH's form, without surrounding blanks. */
  @Column({ type: 'text' })
  key!: string;

  /** MD5 of the key's bytes, in hexadecimal with colons. */
  @Column({ type: 'varchar', length: 47 })
  fingerprint!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
