import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../activity/index.js';
import { SshKeysChanged, UserCreated, UserDeleted } from '../../users/index.js';
import { SystemAccountPayloads } from '../payloads/system-account-payloads.js';
import { HookEvents } from './hook-events.js';

const SYSTEM = { kind: 'system', owner: null } as const;

/** Tells the hooks of the instance of accounts and their keys (open points 7.10). */
@Injectable()
export class AccountEvents {
  constructor(events: DomainEvents, hooks: HookEvents, accounts: SystemAccountPayloads) {
    events.subscribe(UserCreated, ({ user }) =>
      hooks.tellOne(SYSTEM, () => accounts.user('user_create', user.id)),
    );
    events.subscribe(UserDeleted, ({ userId }) =>
      hooks.tellOne(SYSTEM, () => accounts.user('user_destroy', userId)),
    );
    events.subscribe(SshKeysChanged, (event) => hooks.tell(SYSTEM, () => accounts.keys(event)));
  }
}
