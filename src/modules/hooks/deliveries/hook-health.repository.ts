import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { DisabledReason } from '../hook.entity.js';

/** A hook whose attempts have all failed for this long is disabled (open points 7.1). */
const FAILING_DAYS = 3;

/** Remembers of hooks whether their receivers can be reached, and disables those that cannot. */
@Injectable()
export class HookHealthRepository {
  constructor(private readonly database: Database) {}

  /** Answers whether the hook has been failing for so long that it is to be disabled. */
  async failed(hookId: number): Promise<boolean> {
    await this.database.rows(
      'UPDATE hooks SET failing_since = now() WHERE id = $1 AND failing_since IS NULL',
      [hookId],
    );
    const [hook] = await this.database.rows<{ isHopeless: boolean }>(
      `SELECT failing_since <= now() - $2 * interval '1 day' AS "isHopeless" FROM hooks
        WHERE id = $1`,
      [hookId, FAILING_DAYS],
    );
    return hook?.isHopeless ?? false;
  }

  async disable(hookId: number, reason: DisabledReason): Promise<void> {
    await this.database.rows(
      `UPDATE hooks SET disabled_at = now(), disabled_reason = $2
        WHERE id = $1 AND disabled_at IS NULL`,
      [hookId, reason],
    );
  }
}
