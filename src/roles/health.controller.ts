import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Requires } from '../modules/access/index.js';
import { Config } from '../platform/config/index.js';
import { Database } from '../platform/database/index.js';
import { ApiExcludeController, sendJson } from '../platform/http/index.js';
import { DiskProbe } from '../platform/monitoring/index.js';
import { QueueFactory } from '../platform/queue/index.js';

const OK = JSON.stringify({ status: 'ok' });

/** For load balancers and container platforms; outside the API (docs/operations.md#health). */
@Controller()
@ApiExcludeController()
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly queues: QueueFactory,
    private readonly disks: DiskProbe,
    private readonly config: Config,
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
    const failing = await this.failingParts();
    if (failing.length === 0) sendJson(response, OK);
    else sendJson(response.status(503), JSON.stringify({ status: 'unavailable', failing }));
  }

  private async failingParts(): Promise<string[]> {
    const checks: Record<string, Promise<unknown>> = {
      database: this.database.rows('SELECT 1'),
      queue: this.queues.ping(),
      storage: this.checkStorages(),
    };
    const results = await Promise.allSettled(Object.values(checks));
    return Object.keys(checks).filter((_, index) => results[index]?.status === 'rejected');
  }

  private async checkStorages(): Promise<void> {
    const isWritable = await this.disks.areWritable([...this.config.storages.values()]);
    if (!isWritable) throw new Error('A storage cannot be read and written');
  }
}
