import type { TracingConfig } from '../config/index.js';
import { unsentSpans } from '../metrics/index.js';
import { setTracer } from './spans.js';

interface TracingOptions extends TracingConfig {
  /** Of the service, for the resource of its spans. */
  readonly version: string;
  /** What the process does: `all`, `api` or `worker`. */
  readonly role: string;
  /** Warns that spans could not be sent. */
  readonly warn: (error: unknown) => void;
}

/** Running recording of spans. */
interface Tracing {
  /** Sends what is left, for a limited time, and ends recording. */
  stop(): Promise<void>;
}

/** Traces are configured, and the packages that send them are not installed. */
class TracingUnavailableError extends Error {
  override readonly name = 'TracingUnavailableError';

  constructor(options?: ErrorOptions) {
    super(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages of OpenTelemetry are not installed: install without ' +
        '--omit=optional, or unset it.',
      options,
    );
  }
}

/** Between two warnings. */
const WARN_EVERY_MS = 60_000;

/**
 * Begins to record spans and to send them to a collector. Only this loads OpenTelemetry.
 * @throws TracingUnavailableError
 */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  let warnedAt = -Infinity;
  const onFailure = (error: unknown, spans: number): void => {
    unsentSpans.inc(spans);
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    options.warn(error);
  };
  const { OpenTelemetryTracer } = await loadTracer();
  const tracer = new OpenTelemetryTracer({ ...options, onFailure });
  setTracer(tracer);
  return {
    stop: async () => {
      setTracer(undefined);
      await tracer.shutDown();
    },
  };
}

async function loadTracer() {
  try {
    return await import('./open-telemetry.js');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
    throw new TracingUnavailableError({ cause: error });
  }
}
