import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { User } from '../../model/user.entity.js';

/** A secondary address of an account besides the primary one, which is a column of `users`. */
@Entity('emails')
@Index('emails_email_key', ['email'], { unique: true })
@Index('emails_user_idx', ['userId', 'id'])
export class Email {
  @PrimaryGeneratedColumn('identity', { type: 'int', primaryKeyConstraintName: 'emails_pkey' })
  id!: number;

  @Column({ type: 'int' })
  @ForeignKey(() => User, { name: 'emails_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  /** Lower-case. */
  @Column({ type: 'varchar', length: 255 })
  email!: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
