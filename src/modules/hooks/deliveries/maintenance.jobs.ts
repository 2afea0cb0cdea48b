import { Injectable } from '@nestjs/common';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../platform/queue/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import { deliveryUrl, sealUrl } from '../model/hook-secrets.js';
import { HooksRepository } from '../hooks.repository.js';
import { DeliveriesRepository } from './deliveries.repository.js';

/** How long the delivery log is kept. */
const KEPT_DAYS = 30;
/** Rows that the jobs handle with one statement. */
const BATCH = 1_000;

export const trimDeliveries = defineRecurringJob({
  queue: 'maintenance',
  name: 'trim-hook-deliveries',
  everyMs: 60 * 60_000,
  timeLimitMs: 10 * 60_000,
});

/** Deletes old deliveries, then events without deliveries. */
@Injectable()
@HandlesJob(trimDeliveries)
export class TrimDeliveriesJob implements JobHandler {
  constructor(private readonly deliveries: DeliveriesRepository) {}

  async handle(_: Record<string, never>, { signal }: JobContext): Promise<void> {
    while (!signal.aborted && (await this.deliveries.trimDeliveries(KEPT_DAYS, BATCH)) === BATCH);
    while (!signal.aborted && (await this.deliveries.trimEvents(KEPT_DAYS, BATCH)) === BATCH);
  }
}

const sealHookPasswords = defineRecurringJob({
  queue: 'maintenance',
  name: 'seal-hook-passwords',
  everyMs: 10 * 60_000,
  timeLimitMs: 5 * 60_000,
});

/**
 * Encrypts the passwords that an older version, possibly still running during an upgrade, stores in the URLs
 * of hooks.
 */
@Injectable()
@HandlesJob(sealHookPasswords)
export class SealHookPasswordsJob implements JobHandler {
  constructor(
    private readonly hooks: HooksRepository,
    private readonly secrets: Secrets,
  ) {}

  async handle(_: Record<string, never>, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    let lastId = 0;
    while (!signal.aborted) {
      const hooks = await this.hooks.findPlainPasswords(lastId, BATCH);
      for (const { id, url, passwordSealed } of hooks) {
        const stored = { url, passwordSealed };
        if (deliveryUrl({ ...stored, urlVariablesSealed: null }, this.secrets).password === '')
          continue;
        await this.hooks.replaceUrl(id, url, sealUrl(url, this.secrets, stored));
      }
      lastId = hooks.at(-1)?.id ?? lastId;
      if (hooks.length < BATCH) return;
    }
  }
}
