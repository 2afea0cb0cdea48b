import { type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import type { Request } from 'express';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { FACES } from '../../../../src/faces/index.js';
import { unauthenticated } from '../../../../src/platform/errors/index.js';
import {
  AnswerTable,
  BodyGuard,
  configureHttp,
  type FileReceiver,
  RequestBodies,
  HttpAdapter,
  type HttpDrain,
  type HttpOptions,
  ParametersGuard,
  readCredential,
} from '../../../../src/platform/http/index.js';
import type { BodyPace } from '../../../../src/platform/limits/index.js';
import { createLogger } from '../../../../src/platform/observability/index.js';
import {
  OddController,
  OutsideController,
  PeopleController,
  ThingsController,
} from './controllers.js';

/** The token whose bodies may be large. */
export const KNOWN_TOKEN = 'known-token';

/** Refuses callers whose token is "wrong", as the application's first guard would. */
class WrongTokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (readCredential(request).token === 'wrong') throw unauthenticated();
    return true;
  }
}

export interface TinyOptions extends Partial<HttpOptions> {
  readonly bodyPace?: BodyPace;
  readonly fileReceiver?: FileReceiver;
  /** Instead of those of `controllers.ts`. */
  readonly controllers?: Type[];
}

type LogLine = Record<string, unknown>;

export interface TinyApp {
  readonly app: NestExpressApplication;
  readonly drain: HttpDrain;
  /** The lines of one request, as soon as there is one. */
  logged(requestId: string): Promise<LogLine[]>;
  close(): Promise<void>;
}

/** What the controllers name. */
const ANSWERS = new AnswerTable([{ resources: { project: 'Project' } }]);

const CONTROLLERS = [ThingsController, PeopleController, OddController, OutsideController];

/** A running application that is nothing but the HTTP platform and the controllers above. */
export async function tinyApp({
  bodyPace,
  fileReceiver,
  controllers = CONTROLLERS,
  ...options
}: TinyOptions = {}): Promise<TinyApp> {
  const module = await Test.createTestingModule({ controllers }).compile();
  const app = module.createNestApplication<NestExpressApplication>(new HttpAdapter(), {
    bodyParser: false,
    logger: false,
  });
  const log = new LogLines();
  const drain = configureHttp(app, {
    faces: FACES,
    externalUrl: () => 'https://trellis.example',
    statusProfile: () => 'spec',
    build: 'tiny',
    answers: () => ANSWERS,
    packageRoot: '/nonexistent',
    logger: createLogger({ level: 'debug', readable: false, destination: log }),
    ...options,
  });
  const knowsToken = (token: string) => Promise.resolve(token === KNOWN_TOKEN);
  const bodies = new RequestBodies({ knowsToken, pace: bodyPace, receiver: fileReceiver });
  app.useGlobalGuards(new BodyGuard(bodies), new WrongTokenGuard(), new ParametersGuard());
  await app.listen(0, '127.0.0.1');
  return { app, drain, logged: (id) => log.of(id), close: () => app.close() };
}

/** Collects log lines; a line may be written a moment after its answer has arrived. */
class LogLines extends Writable {
  private readonly lines: LogLine[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.lines.push(JSON.parse(chunk.toString()) as LogLine);
    this.emit('line');
    done();
  }

  async of(requestId: string): Promise<LogLine[]> {
    const found = () => this.lines.filter((line) => line['requestId'] === requestId);
    while (found().length === 0) await once(this, 'line');
    return found();
  }
}
