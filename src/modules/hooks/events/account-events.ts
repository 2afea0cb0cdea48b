import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../activity/index.js';
import { SshKeysChanged, UserCreated, UserDeleted } from '../../users/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { SystemPayloadBuilder } from '../payloads/system-payload-builder.js';

const SYSTEM = { kind: 'system', owner: null } as const;

/** Notifies system hooks of accounts and their keys. */
@Injectable()
export class AccountEvents {
  constructor(events: DomainEvents, hooks: HookNotifier, payloads: SystemPayloadBuilder) {
    events.subscribe(UserCreated, ({ user }) =>
      hooks.notifyOne(SYSTEM, () => payloads.buildUser('user_create', user.id)),
    );
    events.subscribe(UserDeleted, ({ userId }) =>
      hooks.notifyOne(SYSTEM, () => payloads.buildUser('user_destroy', userId)),
    );
    events.subscribe(SshKeysChanged, (event) =>
      hooks.notify(SYSTEM, () => payloads.buildKeys(event)),
    );
  }
}
