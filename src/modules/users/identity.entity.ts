import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from './user.entity.js';

/** An account at an external provider (specification 2.15). */
@Entity('identities')
@Index('identities_extern_uid_key', ['provider', 'externUid'], { unique: true })
export class Identity {
  @PrimaryColumn({ type: 'int', primaryKeyConstraintName: 'identities_pkey' })
  @ForeignKey(() => User, { name: 'identities_user_fkey', onDelete: 'CASCADE' })
  userId!: number;

  @PrimaryColumn({ type: 'varchar', length: 255, primaryKeyConstraintName: 'identities_pkey' })
  provider!: string;

  @Column({ type: 'varchar', length: 255 })
  externUid!: string;
}
