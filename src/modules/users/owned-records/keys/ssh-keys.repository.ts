import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/index.js';
import { OwnedRecordsRepository } from '../owned-records.js';
import { SshKey } from './ssh-key.entity.js';

@Injectable()
export class SshKeysRepository extends OwnedRecordsRepository<SshKey> {
  constructor(database: Database) {
    super(database, SshKey, 'ssh_keys');
  }

  /** @returns null if the fingerprint is taken; waits for a concurrent insert of it */
  async insert({
    userId,
    title,
    key,
    fingerprint,
  }: Pick<SshKey, 'userId' | 'title' | 'key' | 'fingerprint'>): Promise<SshKey | null> {
    const [row] = await this.database.rows<{ id: number }>(
      `INSERT INTO ssh_keys (user_id, title, key, fingerprint) VALUES ($1, $2, $3, $4)
       ON CONFLICT (fingerprint) DO NOTHING RETURNING id`,
      [userId, title, key, fingerprint],
    );
    return row === undefined ? null : this.database.of(SshKey).findOneByOrFail({ id: row.id });
  }

  /** Finds a key of any account, or a deploy key. */
  findAny(id: number): Promise<SshKey | null> {
    return this.database.of(SshKey).findOneBy({ id });
  }

  /** Finds the key of an account, or the deploy key, with this fingerprint. */
  findByFingerprint(fingerprint: string): Promise<SshKey | null> {
    return this.database.of(SshKey).findOneBy({ fingerprint });
  }

  /** Finds the key of an account, or the deploy key, with this SHA-256 of its bytes. */
  async findByDigest(sha256: Buffer): Promise<SshKey | null> {
    const [row] = await this.database.rows<{ id: number }>(
      `SELECT id FROM ssh_keys WHERE ${DIGEST} = $1 LIMIT 1`,
      [sha256],
    );
    return row === undefined ? null : this.findAny(row.id);
  }
}

/** The expression of the index `ssh_keys_digest_idx`. */
const DIGEST = String.raw`(
  CASE WHEN substring(key FROM '^\S+\s+(\S+)') ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
       THEN sha256(decode(substring(key FROM '^\S+\s+(\S+)'), 'base64')) END)`;
