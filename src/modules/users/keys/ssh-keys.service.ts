import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../../platform/database/index.js';
import { invalidRecord, notFound } from '../../../platform/errors/index.js';
import { OwnedRecordsService } from '../owned-records.service.js';
import { UsersRepository } from '../users.repository.js';
import type { SshKey } from './ssh-key.entity.js';
import { draftKey } from './ssh-key.rules.js';
import { SshKeysRepository } from './ssh-keys.repository.js';

@Injectable()
export class SshKeysService extends OwnedRecordsService<SshKey> {
  constructor(
    private readonly work: UnitOfWork,
    private readonly keys: SshKeysRepository,
    users: UsersRepository,
  ) {
    super(users, keys, 'Key');
  }

  /** @throws DomainError not found: no such account; invalid record (open points 4.3, 5.16) */
  async add(userId: number, input: { title: string; key: string }): Promise<SshKey> {
    try {
      return await this.work.run(async () => {
        if ((await this.users.hold(userId)) === null) throw notFound('User');
        const draft = draftKey(input.title, input.key);
        if ('errors' in draft) throw invalidRecord(draft.errors);
        return this.keys.insert({ userId, ...draft });
      });
    } catch (error) {
      if (violatedUnique(error) !== 'ssh_keys_fingerprint_key') throw error;
      throw invalidRecord({ fingerprint: ['has already been taken'] });
    }
  }
}
