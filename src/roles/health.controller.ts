import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../modules/access/index.js';
import { ProjectStorage } from '../modules/projects/index.js';
import { Database } from '../platform/database/index.js';
import { ApiExcludeController, sendJson } from '../platform/http/index.js';
import { QueueFactory } from '../platform/queue/index.js';

const OK = JSON.stringify({ status: 'ok' });

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

  /** The process can serve: whatever does not answer is named. */
  @Get('readyz')
  @Requires('service:describe')
  async ready(@Res() response: Response): Promise<void> {
    const [stores, storages] = await Promise.all([
      this.failingStores(),
      this.storage.findFailing(),
    ]);
    const failing = [...stores, ...(storages.length > 0 ? ['storage'] : [])];
    if (failing.length === 0) sendJson(response, OK);
    else sendJson(response.status(503), JSON.stringify(unavailable(failing, storages)));
  }

  private async failingStores(): Promise<string[]> {
    const checks: Record<string, Promise<unknown>> = {
      database: this.database.rows('SELECT 1'),
      queue: this.queues.ping(),
    };
    const results = await Promise.allSettled(Object.values(checks));
    return Object.keys(checks).filter((_, index) => results[index]?.status === 'rejected');
  }
}

function unavailable(failing: readonly string[], storages: readonly string[]): object {
  const status = 'unavailable';
  return storages.length > 0 ? { status, failing, storages } : { status, failing };
}
