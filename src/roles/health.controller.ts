import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../modules/access/index.js';
import { ProjectStorage } from '../modules/projects/index.js';
import { settlesWithin } from '../platform/async/index.js';
import { Database } from '../platform/database/index.js';
import { ApiExcludeController, sendJson } from '../platform/http/index.js';
import { QueueFactory } from '../platform/queue/index.js';

const OK = JSON.stringify({ status: 'ok' });
const WITHOUT_QUEUE = JSON.stringify({ status: 'ok', degraded: ['queue'] });
/** Short of what load balancers wait for an answer. */
const QUEUE_LIMIT_MS = 800;

/** For load balancers and container platforms; outside the API (docs/operations.md#health). */
@Controller()
@ApiExcludeController()
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly queues: QueueFactory,
    private readonly storage: ProjectStorage,
  ) {}

  /** The process is up. */
  @Get('healthz')
  @Requires('service:describe')
  alive(@Res() response: Response): void {
    sendJson(response, OK);
  }

  /**
   * The process can serve: whatever does not answer is named. Without the queue it serves all the same, since jobs
   * wait in the outbox; all processes would be taken out of service at once while a Redis is replaced.
   */
  @Get('readyz')
  @Requires('service:describe')
  async ready(@Res() response: Response): Promise<void> {
    const [stores, storages, hasQueue] = await Promise.all([
      this.failingStores(),
      this.storage.findFailing(),
      this.hasQueue(),
    ]);
    const failing = [...stores, ...(storages.length > 0 ? ['storage'] : [])];
    if (failing.length === 0) {
      sendJson(response, hasQueue ? OK : WITHOUT_QUEUE);
    } else {
      const parts = hasQueue ? failing : [...failing, 'queue'];
      sendJson(response.status(503), JSON.stringify(unavailable(parts, storages)));
    }
  }

  private async failingStores(): Promise<string[]> {
    const checks: Record<string, Promise<unknown>> = {
      database: this.database.rows('SELECT 1'),
    };
    const results = await Promise.allSettled(Object.values(checks));
    return Object.keys(checks).filter((_, index) => results[index]?.status === 'rejected');
  }

  private async hasQueue(): Promise<boolean> {
    const ping = this.queues.ping().then(
      () => true,
      () => false,
    );
    return (await settlesWithin(ping, QUEUE_LIMIT_MS)) && (await ping);
  }
}

function unavailable(failing: readonly string[], storages: readonly string[]): object {
  const status = 'unavailable';
  return storages.length > 0 ? { status, failing, storages } : { status, failing };
}
