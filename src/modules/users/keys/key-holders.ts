import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { User } from '../user.entity.js';
import { UsersRepository } from '../users.repository.js';
import { SshKeysRepository } from './ssh-keys.repository.js';

/** A registered key and whom it belongs to. */
export interface KeyHolder {
  /** In OpenSSH's one-line form. */
  line: string;
  /** May be blocked. */
  user: User;
}

/** Tells whose key it is that a client over SSH presents (open points 8.2). */
@Injectable()
export class KeyHolders {
  constructor(
    private readonly keys: SshKeysRepository,
    private readonly users: UsersRepository,
  ) {}

  /**
   * Null for a key that is not registered, or belongs to no living account: deploy keys are not linked
   * to projects, so they open nothing.
   * @param data the public key as it goes over the wire; whoever sends it may not have its private part
   */
  async find(data: Buffer): Promise<KeyHolder | null> {
    const key = await this.keys.findByFingerprint(md5Fingerprint(data));
    if (key === null || key.userId === null || !isKey(key.key, data)) return null;
    const user = await this.users.findById(key.userId);
    return user === null ? null : { line: key.key, user };
  }
}

function md5Fingerprint(data: Buffer): string {
  const pairs = createHash('md5').update(data).digest('hex').match(/../g) ?? [];
  return pairs.join(':');
}

/** Two keys can be made to share an MD5 sum: what counts are the bytes. */
function isKey(line: string, data: Buffer): boolean {
  const stored = Buffer.from(line.split(/[ \t]+/, 2)[1] ?? '', 'base64');
  return stored.length === data.length && timingSafeEqual(stored, data);
}
