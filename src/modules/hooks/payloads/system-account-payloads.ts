import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../../platform/database/index.js';
import { type SshKeysChanged, User } from '../../users/index.js';

/** Tells the hooks of the instance of accounts and their keys (open points 7.10). */
@Injectable()
export class SystemAccountPayloads {
  constructor(private readonly database: Database) {}

  /** Also of an account just deleted. */
  async user(event: 'user_create' | 'user_destroy', id: number): Promise<object | null> {
    const user = await this.find(id);
    return (
      user && {
        event_name: event,
        created_at: user.createdAt,
        updated_at: user.updatedAt,
        name: user.name,
        email: user.email,
        user_id: user.id,
        username: user.username,
      }
    );
  }

  async keys({ keys, change }: SshKeysChanged): Promise<object[]> {
    const userIds = keys.flatMap(({ userId }) => userId ?? []);
    const users =
      userIds.length > 0 ? await this.database.of(User).findBy({ id: In(userIds) }) : [];
    const usernames = new Map(users.map(({ id, username }) => [id, username]));
    return keys.map((key) => {
      // Deploy keys belong to no account.
      const username = key.userId === null ? undefined : usernames.get(key.userId);
      return {
        event_name: change === 'added' ? 'key_create' : 'key_destroy',
        created_at: key.createdAt,
        updated_at: key.updatedAt,
        key: key.key,
        id: key.id,
        ...(username === undefined ? {} : { username }),
      };
    });
  }

  private find(id: number): Promise<User | null> {
    return this.database.of(User).findOneBy({ id });
  }
}
