import { type DestinationStream, type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

interface LoggerOptions {
  /** `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. */
  readonly level: string;
  /** Readable lines instead of JSON. Default: on a terminal. */
  readonly readable?: boolean;
  /** Where lines go. Default: standard output. */
  readonly destination?: DestinationStream;
}

/** How long a line may wait for others to be written with, in milliseconds. */
const WAIT_MS = 50;
/** How many characters may wait. */
const WAITING = 8 * 1024;

const SECRETS = [
  'authorization',
  'password',
  'private_token',
  '["private-token"]',
  'token',
  'secret',
];

/** What is kept of an error beside its name, message and stack. */
const KEPT = ['code', 'constraint', 'table', 'column', 'routine', 'status'] as const;
const MAX_CAUSES = 4;

/** The process's logger. Secrets under their usual names never reach it, at the top or one below. */
export function createLogger(options: LoggerOptions): Logger {
  const readable = options.readable ?? process.stdout.isTTY;
  const destination = options.destination ?? standardOutput(readable);
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

/**
 * Lines for a person at once; others a few together, since each write costs about as much as putting
 * the line together. At the end of the process, crashes included, what waits is written.
 */
function standardOutput(readable: boolean): DestinationStream {
  if (readable) return pino.destination({ fd: 1, sync: true });
  const waiting = { minLength: WAITING, periodicFlush: WAIT_MS };
  const stream = pino.destination({ fd: 1, sync: true, ...waiting });
  process.on('exit', () => stream.flushSync());
  return stream;
}

/**
 * An error as it is logged: what it is and where it came from. A failed statement's parameters and the
 * values that the database quotes are left out, they may be secrets.
 */
function serializeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const properties = error as Error & Record<string, unknown>;
  const kept = KEPT.flatMap((name) =>
    typeof properties[name] === 'string' || typeof properties[name] === 'number'
      ? [[name, properties[name]] as const]
      : [],
  );
  const cause = error.cause ?? properties['driverError'];
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(kept),
    ...(cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: serializeError(cause, depth + 1) }),
  };
}
