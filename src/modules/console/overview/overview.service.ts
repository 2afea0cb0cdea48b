import { Injectable } from '@nestjs/common';
import { type ListedProcess, ProcessesRepository } from '../../../platform/cluster/index.js';
import {
  type InstanceStatistics,
  ProcessStatisticsRepository,
} from '../../../platform/monitoring/index.js';
import { type DeliveryCounts, DeliveryLogService } from '../../hooks/index.js';
import { ConsoleJobsService, type QueueState } from '../jobs/jobs.service.js';
import { ConsoleStoragesService, type StorageState } from '../storages/storages.service.js';
import { beginningOfDay } from './day.js';

/** The state of the whole instance, and what its processes did in the last day. */
export interface Overview {
  readonly processes: readonly ListedProcess[];
  readonly queues: QueueState;
  readonly deliveries: DeliveryCounts;
  readonly storages: readonly StorageState[];
  readonly beginning: Date;
  readonly statistics: readonly InstanceStatistics[];
}

/** Asks all parts of the instance at once. */
@Injectable()
export class OverviewService {
  constructor(
    private readonly processes: ProcessesRepository,
    private readonly statistics: ProcessStatisticsRepository,
    private readonly jobs: ConsoleJobsService,
    private readonly deliveries: DeliveryLogService,
    private readonly storages: ConsoleStoragesService,
  ) {}

  async read(now = new Date()): Promise<Overview> {
    const beginning = beginningOfDay(now);
    const [processes, queues, deliveries, storages, statistics] = await Promise.all([
      this.processes.list(),
      this.jobs.readQueues(),
      this.deliveries.count(),
      this.storages.list(),
      this.statistics.list(beginning),
    ]);
    return { processes, queues, deliveries, storages, beginning, statistics };
  }
}
