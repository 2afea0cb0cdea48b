import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import { deliveryUrl, storedAddress } from '../hook-address.js';
import { HooksRepository } from '../hooks.repository.js';
import { sealHookPasswords } from './hook.jobs.js';

const BATCH = 1_000;

/** Seals the passwords that versions before this one have left in the addresses of hooks. */
@Injectable()
@HandlesJob(sealHookPasswords)
export class SealHookPasswords implements JobHandler {
  constructor(
    private readonly hooks: HooksRepository,
    private readonly secrets: Secrets,
  ) {}

  async handle(_: Record<string, never>, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    let last = 0;
    while (!signal.aborted) {
      const found = await this.hooks.unsealed(last, BATCH);
      for (const { id, url, passwordSealed } of found) {
        const known = { url, passwordSealed };
        if (deliveryUrl(known, this.secrets).password === '') continue;
        await this.hooks.replaceAddress(id, url, storedAddress(url, this.secrets, known));
      }
      last = found.at(-1)?.id ?? last;
      if (found.length < BATCH) return;
    }
  }
}
