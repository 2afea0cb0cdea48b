import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../modules/access/index.js';
import { ProjectStorage } from '../modules/projects/index.js';
import { settlesWithin } from '../platform/async/index.js';
import { Database } from '../platform/database/index.js';
import { ApiExcludeController, sendJson } from '../platform/http/index.js';
import { QueueFactory } from '../platform/queue/index.js';

const OK = JSON.stringify({ status: 'ok' });
/** How long database and queue may take to answer. */
const STORE_LIMIT_MS = 2_000;

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
    const checks = {
      database: this.database.rows('SELECT 1'),
      queue: this.queues.ping(),
    };
    const answers = await Promise.all(Object.values(checks).map(answersInTime));
    return Object.keys(checks).filter((_, index) => answers[index] === false);
  }
}

async function answersInTime(check: Promise<unknown>): Promise<boolean> {
  const answered = check.then(
    () => true,
    () => false,
  );
  return (await settlesWithin(answered, STORE_LIMIT_MS)) && answered;
}

function unavailable(failing: readonly string[], storages: readonly string[]): object {
  const status = 'unavailable';
  return storages.length > 0 ? { status, failing, storages } : { status, failing };
}
