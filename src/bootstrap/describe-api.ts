import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Git } from '../git/index.js';
import { ProcessIdentity } from '../platform/cluster/index.js';
import { Config, Urls } from '../platform/config/index.js';
import { Database, UnitOfWork } from '../platform/database/index.js';
import { API_PREFIX, buildOpenApiDocument } from '../platform/http/index.js';
import { OutboundHosts } from '../platform/net/index.js';
import { FailedJobsRepository, Outbox, QueueFactory } from '../platform/queue/index.js';
import { Secrets } from '../platform/secrets/index.js';
import { ROOM_DISCOVERY, ROOM_MODULES } from './rooms.js';

/** Controllers are only looked at, so what they would stand on need not exist. */
const ABSENT = [
  Config,
  DataSource,
  Database,
  FailedJobsRepository,
  Git,
  OutboundHosts,
  Outbox,
  ProcessIdentity,
  QueueFactory,
  Secrets,
  UnitOfWork,
  Urls,
].map((provide) => ({ provide, useValue: null }));

@Global()
@Module({ providers: ABSENT, exports: ABSENT })
class AbsentGroundModule {}

@Module({ imports: [AbsentGroundModule, ROOM_DISCOVERY, ...ROOM_MODULES] })
class DescribedModule {}

/** The interface document of this code; nothing is started or connected for it. */
export async function describeApi(version: string): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestExpressApplication>(DescribedModule, {
    preview: true,
    abortOnError: false,
    logger: false,
  });
  app.setGlobalPrefix(API_PREFIX.slice(1));
  await app.init();
  return buildOpenApiDocument(app, version);
}
