import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { invalidRecord, notFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../activity/index.js';
import { OwnedRecordsService } from '../owned-records.service.js';
import { UsersRepository } from '../users.repository.js';
import type { User } from '../user.entity.js';
import type { SshKey } from './ssh-key.entity.js';
import { SshKeysChanged } from './ssh-key.events.js';
import { draftKey, fingerprintTaken } from './ssh-key.rules.js';
import { SshKeysRepository } from './ssh-keys.repository.js';

@Injectable()
export class SshKeysService extends OwnedRecordsService<SshKey> {
  constructor(
    private readonly work: UnitOfWork,
    private readonly keys: SshKeysRepository,
    private readonly events: DomainEvents,
    users: UsersRepository,
  ) {
    super(users, keys, 'Key');
  }

  /** @throws DomainError not found: no such account; invalid record */
  add(userId: number, input: { title: string; key: string }): Promise<SshKey> {
    return this.work.run(async () => {
      if ((await this.users.hold(userId)) === null) throw notFound('User');
      const draft = draftKey(input.title, input.key);
      if ('errors' in draft) throw invalidRecord(draft.errors);
      const key = await this.keys.insert({ userId, ...draft });
      if (key === null) throw fingerprintTaken();
      await this.events.publish(new SshKeysChanged([key], 'added'));
      return key;
    });
  }

  /**
   * The key of any account, or a deploy key, whose user is null.
   * @throws DomainError not found
   */
  async readAny(id: number): Promise<{ key: SshKey; user: User | null }> {
    const key = await this.keys.findAny(id);
    if (key === null) throw notFound('Key');
    if (key.userId === null) return { key, user: null };
    const user = await this.users.findById(key.userId);
    if (user === null) throw notFound('Key');
    return { key, user };
  }

  override removeIfPresent(userId: number, id: number): Promise<SshKey | null> {
    return this.work.run(async () => {
      const removed = await super.removeIfPresent(userId, id);
      if (removed !== null) await this.events.publish(new SshKeysChanged([removed], 'removed'));
      return removed;
    });
  }
}
