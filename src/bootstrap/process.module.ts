import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { dataSourceOptions, pushPoolOptions, replicasOptions } from '../../ormconfig.js';
import { FACES } from '../faces/index.js';
import { Git } from '../git/index.js';
import { AbilityGuard, CallerGuard, Callers } from '../modules/authorization/index.js';
import { UploadReceiver } from '../modules/storage/index.js';
import { ProcessIdentity } from '../platform/cluster/index.js';
import { Config, Urls } from '../platform/config/index.js';
import { Database, Replicas, TransactionPool, UnitOfWork } from '../platform/database/index.js';
import {
  BodyGuard,
  ParametersGuard,
  RefusalAnswers,
  RequestBodies,
} from '../platform/http/index.js';
import { RoomDiscovery } from '../platform/discovery/index.js';
import { MonitoringModule } from '../platform/monitoring/index.js';
import { OutboundHosts } from '../platform/net/index.js';
import { QueueModule, type QueueOptions } from '../platform/queue/index.js';
import { Secrets } from '../platform/secrets/index.js';
import type { Ground } from './ground.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsReport } from './metrics-report.js';
import { ROOM_DISCOVERY, ROOM_MODULES } from './rooms.js';

/** Provides the ground floor to every module of the process. */
@Global()
@Module({})
class CoreModule {
  static on({ config, databaseUrl, git, identity, secrets }: Ground): DynamicModule {
    const { poolerUrl, pushPoolSize, ...others } = config.database;
    const applicationName = identity.sessionName;
    const settings = {
      ...others,
      url: poolerUrl ?? databaseUrl,
      isPooled: poolerUrl !== undefined,
      applicationName,
    };
    const database = dataSourceOptions(settings);
    const pushes = pushPoolOptions(settings, pushPoolSize);
    const replicas = replicasOptions(config, applicationName);
    return {
      module: CoreModule,
      imports: [TypeOrmModule.forRoot({ ...database, retryAttempts: 0 })],
      providers: [
        Database,
        UnitOfWork,
        OutboundHosts,
        { provide: Config, useValue: config },
        { provide: Git, useValue: git },
        { provide: ProcessIdentity, useValue: identity },
        {
          provide: Replicas,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => new Replicas(dataSource, replicas),
        },
        { provide: Secrets, useValue: secrets },
        {
          provide: TransactionPool,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => new TransactionPool(dataSource, pushes),
        },
        { provide: Urls, useValue: new Urls(config) },
      ],
      exports: [
        Config,
        Database,
        Git,
        OutboundHosts,
        ProcessIdentity,
        Replicas,
        Secrets,
        TransactionPool,
        UnitOfWork,
        Urls,
      ],
    };
  }
}

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

const REFUSAL_ANSWERS = {
  provide: RefusalAnswers,
  inject: [RoomDiscovery],
  useFactory: (discovery: RoomDiscovery) => new RefusalAnswers(FACES, discovery),
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
        MonitoringModule,
        ROOM_DISCOVERY,
        ...ROOM_MODULES,
      ],
      controllers: [HealthController, MetricsController],
      providers: [BODIES, MetricsReport, REFUSAL_ANSWERS, ...GUARDS],
    };
  }
}

function queueOptions({ config, databaseUrl, logger }: Ground): QueueOptions {
  return { databaseUrl, redisUrl: config.redisUrl, logger };
}
