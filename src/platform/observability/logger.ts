import { type DestinationStream, type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import { serializeError } from './error-serializer.js';

export interface LoggerOptions {
  /** `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. */
  readonly level: string;
  /** Readable lines instead of JSON. Default: on a terminal. */
  readonly readable?: boolean;
  /** Where lines go. Default: standard output. */
  readonly destination?: DestinationStream;
}

const SECRETS = [
  'authorization',
  'password',
  'private_token',
  '["private-token"]',
  'token',
  'secret',
];

/** The process's logger. Secrets under their usual names never reach it, at the top or one below. */
export function createLogger(options: LoggerOptions): Logger {
  const readable = options.readable ?? process.stdout.isTTY;
  const destination = options.destination ?? pino.destination({ fd: 1, sync: true });
  const stream = readable ? PinoPretty({ destination, sync: true }) : destination;
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => serializeError(error) },
      redact: {
        paths: SECRETS.flatMap((name) => [name, name.startsWith('[') ? `*${name}` : `*.${name}`]),
        censor: '[redacted]',
      },
    },
    stream,
  );
}
