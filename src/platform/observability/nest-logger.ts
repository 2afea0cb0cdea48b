import { inspect } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import type { Level, Logger } from 'pino';

/** Contexts in which the framework says what it puts together, some hundred lines at each start. */
const STARTING: ReadonlySet<string> = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Lets the framework log through the process's logger: the last string of a call is its context. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...details: unknown[]): void {
    const isStart = STARTING.has(String(details.at(-1)));
    this.write(isStart ? 'debug' : 'info', message, details);
  }

  error(message: unknown, ...details: unknown[]): void {
    this.write('error', message, details);
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.write('warn', message, details);
  }

  debug(message: unknown, ...details: unknown[]): void {
    this.write('debug', message, details);
  }

  verbose(message: unknown, ...details: unknown[]): void {
    this.write('trace', message, details);
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.write('fatal', message, details);
  }

  private write(level: Level, message: unknown, details: readonly unknown[]): void {
    const context = typeof details.at(-1) === 'string' ? (details.at(-1) as string) : undefined;
    const rest = context === undefined ? details : details.slice(0, -1);
    const error = [message, ...rest].find((value) => value instanceof Error);
    const stack = rest.find((value) => typeof value === 'string');
    this.logger[level](
      {
        ...(context === undefined ? {} : { context }),
        ...(error === undefined ? {} : { err: error }),
        ...(stack === undefined ? {} : { stack }),
      },
      textOf(message),
    );
  }
}

function textOf(message: unknown): string {
  if (message instanceof Error) return message.message;
  return typeof message === 'string' ? message : inspect(message);
}
