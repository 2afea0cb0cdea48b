import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { type SshKeyChanged, User } from '../../users/index.js';

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

  async key({ key, change }: SshKeyChanged): Promise<object> {
    const user = key.userId === null ? null : await this.find(key.userId);
    return {
      event_name: change === 'added' ? 'key_create' : 'key_destroy',
      created_at: key.createdAt,
      updated_at: key.updatedAt,
      key: key.key,
      id: key.id,
      // Keys of projects are nobody's.
      ...(user === null ? {} : { username: user.username }),
    };
  }

  private find(id: number): Promise<User | null> {
    return this.database.of(User).findOneBy({ id });
  }
}
