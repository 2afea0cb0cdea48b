import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { OwnedRecordsRepository } from '../owned-records.repository.js';
import { SshKey } from './ssh-key.entity.js';

@Injectable()
export class SshKeysRepository extends OwnedRecordsRepository<SshKey> {
  constructor(database: Database) {
    super(database, SshKey);
  }

  async insert(key: Pick<SshKey, 'userId' | 'title' | 'key' | 'fingerprint'>): Promise<SshKey> {
    const keys = this.database.of(SshKey);
    const { identifiers } = await keys.insert(key);
    return keys.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  /** A key of any account, or a deploy key. */
  findAny(id: number): Promise<SshKey | null> {
    return this.database.of(SshKey).findOneBy({ id });
  }

  /** The only key with that fingerprint, an account's or a deploy key. */
  findByFingerprint(fingerprint: string): Promise<SshKey | null> {
    return this.database.of(SshKey).findOneBy({ fingerprint });
  }
}
