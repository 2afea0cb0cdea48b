import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SudoUsed } from '../authorization/index.js';
import { OnDomainEvent } from '../../platform/events/index.js';
import { AuditLog } from './recording/audit-log.repository.js';

const HOUR_MS = 3_600_000;
const MAX_PAIRS = 10_000;

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Records each request that an administrator makes by `sudo` and that may write, and of those that only read one for
 * each administrator, user and hour.
 */
@Injectable()
export class SudoListener {
  /** Administrators and the users as which they have read in the last hour, in this process. */
  private readonly readers = new LRUCache<string, true>({ max: MAX_PAIRS, ttl: HOUR_MS });

  constructor(private readonly audit: AuditLog) {}

  @OnDomainEvent(SudoUsed)
  async recordSudo({ administrator, user, request }: SudoUsed): Promise<void> {
    const { method, route, address, id } = request;
    const pair = `${String(administrator.id)} ${String(user.id)}`;
    const isRead = READS.has(method);
    if (isRead && this.readers.has(pair)) return;
    await this.audit.record({
      action: 'sudo.used',
      author: administrator,
      target: { type: 'user', id: user.id, name: user.username },
      ip: address,
      requestId: id,
      details: { method, route },
    });
    if (isRead) this.readers.set(pair, true);
  }
}
