import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { User } from '../user.entity.js';
import { UsersRepository } from '../users.repository.js';
import { keyData } from './public-key.js';
import type { SshKey } from './ssh-key.entity.js';
import { SshKeysRepository } from './ssh-keys.repository.js';

/** A registered key and its account. */
export interface KeyHolder {
  key: SshKey;
  /** May be blocked; null for a deploy key. */
  user: User | null;
}

/** Finds the account or deploy key behind a public key that an SSH client presents. */
@Injectable()
export class KeyHolders {
  constructor(
    private readonly keys: SshKeysRepository,
    private readonly users: UsersRepository,
  ) {}

  /**
   * Null for a key that is not registered, or belongs to no living account.
   * @param data the public key as it goes over the wire; whoever sends it may not have its private part
   */
  async find(data: Buffer): Promise<KeyHolder | null> {
    const key = await this.keys.findByFingerprint(md5Fingerprint(data));
    if (key === null || !isKey(key.key, data)) return null;
    if (key.userId === null) return { key, user: null };
    const user = await this.users.findById(key.userId);
    return user === null ? null : { key, user };
  }
}

function md5Fingerprint(data: Buffer): string {
  const pairs = createHash('md5').update(data).digest('hex').match(/../g) ?? [];
  return pairs.join(':');
}

/** Two keys can be made to share an MD5 sum: what counts are the bytes. */
function isKey(line: string, data: Buffer): boolean {
  const stored = keyData(line);
  return stored.length === data.length && timingSafeEqual(stored, data);
}
