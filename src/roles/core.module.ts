import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { Git } from '../git/index.js';
import { Config } from '../platform/config/index.js';
import { Database, UnitOfWork } from '../platform/database/index.js';
import { OutboundHosts } from '../platform/net/index.js';
import { Secrets } from '../platform/secrets/index.js';
import { Urls } from '../platform/urls/index.js';
import type { Ground } from './ground.js';

/** The ground floor, for every module of the process. */
@Global()
@Module({})
export class CoreModule {
  static on({ config, databaseUrl, git, secrets }: Ground): DynamicModule {
    const database = dataSourceOptions({ ...config.database, url: databaseUrl });
    return {
      module: CoreModule,
      imports: [TypeOrmModule.forRoot({ ...database, retryAttempts: 0 })],
      providers: [
        Database,
        UnitOfWork,
        OutboundHosts,
        Urls,
        { provide: Config, useValue: config },
        { provide: Git, useValue: git },
        { provide: Secrets, useValue: secrets },
      ],
      exports: [Config, Database, Git, OutboundHosts, Secrets, UnitOfWork, Urls],
    };
  }
}
