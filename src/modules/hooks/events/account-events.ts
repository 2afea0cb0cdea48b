import { Injectable } from '@nestjs/common';
import { OnDomainEvent } from '../../activity/index.js';
import { SshKeysChanged, UserCreated, UserDeleted } from '../../users/index.js';
import { SystemAccountPayloads } from '../payloads/system-account-payloads.js';
import { HookEvents } from './hook-events.js';

const SYSTEM = { kind: 'system', owner: null } as const;

/** Tells the hooks of the instance of accounts and their keys (open points 7.10). */
@Injectable()
export class AccountEvents {
  constructor(
    private readonly hooks: HookEvents,
    private readonly accounts: SystemAccountPayloads,
  ) {}

  @OnDomainEvent(UserCreated)
  userCreated({ user }: UserCreated): Promise<void> {
    return this.hooks.tellOne(SYSTEM, () => this.accounts.user('user_create', user.id));
  }

  @OnDomainEvent(UserDeleted)
  userDeleted({ userId }: UserDeleted): Promise<void> {
    return this.hooks.tellOne(SYSTEM, () => this.accounts.user('user_destroy', userId));
  }

  @OnDomainEvent(SshKeysChanged)
  sshKeysChanged(event: SshKeysChanged): Promise<void> {
    return this.hooks.tell(SYSTEM, () => this.accounts.keys(event));
  }
}
