import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { invalidFields, notFound } from '../../../../platform/errors/index.js';
import { DomainEvent, DomainEvents } from '../../../../platform/events/index.js';
import { AuditLog, type AuditRecord } from '../../../audit/index.js';
import type { User } from '../../model/user.entity.js';
import { UsersRepository } from '../../model/users.repository.js';
import { OwnedRecordsService } from '../owned-records.js';
import type { SshKey } from './ssh-key.entity.js';
import {
  fingerprintOfData,
  fingerprintTaken,
  hasKeyData,
  validateSshKey,
} from './ssh-key.rules.js';
import { SshKeysRepository } from './ssh-keys.repository.js';

/** SSH keys of accounts or deploy keys were added or removed; published in the same transaction. */
@DomainEvent()
export class SshKeysChanged {
  constructor(
    readonly keys: readonly SshKey[],
    readonly change: 'added' | 'removed',
  ) {}
}

/** The digest of a key's bytes; MD5 in hexadecimal with colons, in lower case. */
export type SshKeyFingerprint = { readonly md5: string } | { readonly sha256: Buffer };

export interface SshKeyWithUser {
  key: SshKey;
  /** May be blocked; null for a deploy key. */
  user: User | null;
}

/** SSH keys of accounts. */
@Injectable()
export class SshKeysService extends OwnedRecordsService<SshKey> {
  constructor(
    private readonly work: UnitOfWork,
    private readonly keys: SshKeysRepository,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
    users: UsersRepository,
  ) {
    super(users, keys, 'key');
  }

  /** @throws DomainError not found: there is no such account; invalid fields */
  add(userId: number, input: { title: string; key: string }): Promise<SshKey> {
    return this.work.run(async () => {
      if ((await this.users.hold(userId)) === null) throw notFound('user');
      const valid = validateSshKey(input.title, input.key);
      if ('problems' in valid) throw invalidFields(valid.problems);
      const key = await this.keys.insert({ userId, ...valid });
      if (key === null) throw fingerprintTaken();
      await this.events.publish(new SshKeysChanged([key], 'added'));
      await this.audit.record({ action: 'ssh_key.added', ...onKey(key) });
      return key;
    });
  }

  /**
   * Reads a key of any account, or a deploy key.
   * @throws DomainError not found
   */
  async readAny(id: number): Promise<SshKeyWithUser> {
    const found = await this.withUser(await this.keys.findAny(id));
    if (found === null) throw notFound('key');
    return found;
  }

  /**
   * Reads a key of any account, or a deploy key, by its fingerprint.
   * @throws DomainError not found
   */
  async readByFingerprint(fingerprint: SshKeyFingerprint): Promise<SshKeyWithUser> {
    const key =
      'md5' in fingerprint
        ? await this.keys.findByFingerprint(fingerprint.md5)
        : await this.keys.findByDigest(fingerprint.sha256);
    const found = await this.withUser(key);
    if (found === null) throw notFound('key');
    return found;
  }

  /**
   * Finds the registered key that an SSH client presents; null when there is none, or its account is
   * deleted.
   * @param data the public key in SSH's wire format; the client need not have proved that it owns it
   */
  async findByData(data: Buffer): Promise<SshKeyWithUser | null> {
    const key = await this.keys.findByFingerprint(fingerprintOfData(data));
    return key !== null && hasKeyData(key.key, data) ? this.withUser(key) : null;
  }

  override removeIfPresent(userId: number, id: number): Promise<SshKey | null> {
    return this.work.run(async () => {
      const removed = await super.removeIfPresent(userId, id);
      if (removed === null) return null;
      await this.events.publish(new SshKeysChanged([removed], 'removed'));
      await this.audit.record({ action: 'ssh_key.removed', ...onKey(removed) });
      return removed;
    });
  }

  private async withUser(key: SshKey | null): Promise<SshKeyWithUser | null> {
    if (key === null) return null;
    if (key.userId === null) return { key, user: null };
    const user = await this.users.findById(key.userId);
    return user && { key, user };
  }
}

/** By its fingerprint: the title of a key is often an e-mail address, and the audit log outlives the account. */
const onKey = ({ id, fingerprint, userId }: SshKey): Pick<AuditRecord, 'target' | 'details'> => ({
  target: { type: 'ssh_key', id, name: fingerprint },
  details: { user_id: userId },
});
