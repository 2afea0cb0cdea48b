import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { FACES } from '../faces/index.js';
import { gitRefusal } from '../modules/repository/index.js';
import { ErrorPages, toPages } from '../modules/web/index.js';
import { buildOf } from '../platform/config/index.js';
import { Replicas } from '../platform/database/index.js';
import {
  configureHttp,
  HttpAdapter,
  type HttpDrain,
  RefusalAnswers,
  replicaReads,
} from '../platform/http/index.js';
import { NestLogger } from '../platform/observability/index.js';
import type { Ground } from './ground.js';
import { serveMetricsFor } from './metrics.controller.js';
import { ProcessModule } from './process.module.js';

export interface ApplicationOptions {
  /** Whether it relays and carries out jobs too. */
  runsJobs: boolean;
  /** The folder that holds the interface documents and `dist`. */
  packageRoot: string;
}

export interface HttpApplication {
  app: NestExpressApplication;
  drain: HttpDrain;
}

/** Puts together an application that serves the API, pages, uploads and Git over HTTP; it does not listen yet. */
export async function createApplication(
  ground: Ground,
  { runsJobs, packageRoot }: ApplicationOptions,
): Promise<HttpApplication> {
  const { config, logger } = ground;
  const app = await NestFactory.create<NestExpressApplication>(
    ProcessModule.on(ground, { runsJobs }),
    new HttpAdapter(),
    { bodyParser: false, logger: new NestLogger(logger), abortOnError: false },
  );
  const drain = configureHttp(app, {
    faces: FACES,
    externalUrl: () => config.http.externalUrl,
    statusProfile: () => config.http.statusProfile,
    build: buildOf(packageRoot),
    packageRoot,
    logger,
    trustedProxies: config.http.trustedProxies,
    answers: (face) => app.get(RefusalAnswers).of(face),
    translate: gitRefusal,
    toPages,
    ...(config.database.replicaUrls.length > 0 && { reads: replicaReads(app.get(Replicas)) }),
    sendErrorPage: (answer, response) => app.get(ErrorPages).send(answer, response),
  });
  if (config.metricsToken !== undefined) serveMetricsFor(config.metricsToken, app);
  await app.init();
  return { app, drain };
}

/** The same without a server. */
export function createContext(
  ground: Ground,
  { runsJobs }: Pick<ApplicationOptions, 'runsJobs'>,
): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(ProcessModule.on(ground, { runsJobs }), {
    logger: new NestLogger(ground.logger),
    abortOnError: false,
  });
}
