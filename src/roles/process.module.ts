import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AbilityGuard, CallerGuard, Callers } from '../modules/access/index.js';
import { UploadReceiver } from '../modules/projects/index.js';
import { BodyGuard, ParametersGuard, RequestBodies } from '../platform/http/index.js';
import { QueueModule, type QueueOptions } from '../platform/queue/index.js';
import { CoreModule } from './core.module.js';
import type { Ground } from './ground.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { ROOM_DISCOVERY, ROOM_MODULES } from './rooms.js';

/** In this order: what was sent, who calls, are the parameters well-formed, may they. */
const GUARDS = [BodyGuard, CallerGuard, ParametersGuard, AbilityGuard].map((useClass) => ({
  provide: APP_GUARD,
  useClass,
}));

const BODIES = {
  provide: RequestBodies,
  inject: [Callers, UploadReceiver],
  useFactory: (callers: Callers, receiver: UploadReceiver) =>
    new RequestBodies({
      receiver,
      knowsToken: async (token) => (await callers.findByToken(token)) !== null,
    }),
};

/** All modules of one process; a worker process has the same ones and no HTTP server. */
@Module({})
export class ProcessModule {
  /** @param options.runsJobs whether this process relays and carries out jobs */
  static on(ground: Ground, options: { runsJobs: boolean }): DynamicModule {
    const queue = { useFactory: () => queueOptions(ground) };
    return {
      module: ProcessModule,
      imports: [
        CoreModule.on(ground),
        options.runsJobs ? QueueModule.forWorker(queue) : QueueModule.forApi(queue),
        ROOM_DISCOVERY,
        ...ROOM_MODULES,
      ],
      controllers: [HealthController, MetricsController],
      providers: [BODIES, ...GUARDS],
    };
  }
}

function queueOptions({ config, databaseUrl, logger }: Ground): QueueOptions {
  return { databaseUrl, redisUrl: config.redisUrl, logger };
}
