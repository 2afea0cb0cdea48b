import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { FACES } from '../faces/index.js';
import { Git } from '../git/index.js';
import { ProcessIdentity } from '../platform/cluster/index.js';
import { Config, Urls } from '../platform/config/index.js';
import { Database, TransactionPool, UnitOfWork } from '../platform/database/index.js';
import { buildOpenApiDocument } from '../platform/http/index.js';
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
  TransactionPool,
  UnitOfWork,
  Urls,
].map((provide) => ({ provide, useValue: null }));

@Global()
@Module({ providers: ABSENT, exports: ABSENT })
class AbsentGroundModule {}

@Module({ imports: [AbsentGroundModule, ROOM_DISCOVERY, ...ROOM_MODULES] })
class DescribedModule {}

/** The interface document of a version of the API. */
export interface ApiDocument {
  /** Its file in the root of the package. */
  readonly file: string;
  readonly prefix: string;
  readonly document: OpenAPIObject;
}

/** The interface documents of this code; nothing is started or connected for it. */
export async function describeApi(version: string): Promise<ApiDocument[]> {
  const app = await NestFactory.create<NestExpressApplication>(DescribedModule, {
    preview: true,
    abortOnError: false,
    logger: false,
  });
  await app.init();
  const documents: ApiDocument[] = [];
  for (const face of FACES) {
    const document = await buildOpenApiDocument(app, face, version);
    documents.push({ file: face.document, prefix: face.prefix, document });
  }
  return documents;
}
