import { hostname } from 'node:os';
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span as OpenTelemetrySpan,
  SpanKind as Kind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { settlesWithin } from '../async/index.js';
import type { TracingConfig } from '../config/index.js';
import type { Span, SpanAttributes, SpanKind, SpanOptions, Tracer } from './spans.js';
import type { TraceContext } from './traceparent.js';

interface TracerOptions extends TracingConfig {
  readonly version: string;
  readonly role: string;
  /** Called when spans could not be sent. */
  readonly onFailure: (error: unknown, spans: number) => void;
}

/** What spans that cannot be sent yet may take: the SDK drops those beyond. */
const MAX_WAITING_SPANS = 4_096;
const MAX_SPANS_PER_REQUEST = 512;
/** Longer values are cut: statements of several kilobytes. */
const MAX_ATTRIBUTE_LENGTH = 4_096;
const SEND_EVERY_MS = 2_000;
const SEND_LIMIT_MS = 5_000;
/** How long the end of the process waits for the collector. */
const SHUTDOWN_LIMIT_MS = 3_000;

const KINDS: Readonly<Record<SpanKind, Kind>> = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  consumer: Kind.CONSUMER,
  internal: Kind.INTERNAL,
};

/** Records spans by OpenTelemetry's SDK, and sends them in batches. What it cannot send in time is dropped. */
export class OpenTelemetryTracer implements Tracer {
  private readonly provider: TracerProvider;
  private readonly tracer: SdkTracer;

  constructor(options: TracerOptions) {
    const { endpoint, headers, serviceName, version, role, onFailure } = options;
    const exporter = new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: { ...headers },
      timeoutMillis: SEND_LIMIT_MS,
    });
    const processor = new BatchSpanProcessor({
      exporter: new ReportingExporter(exporter, onFailure),
      maxQueueSize: MAX_WAITING_SPANS,
      maxExportBatchSize: MAX_SPANS_PER_REQUEST,
      scheduledDelayMillis: SEND_EVERY_MS,
      exportTimeoutMillis: SEND_LIMIT_MS,
    });
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': serviceName,
        'service.version': version,
        'service.instance.id': `${hostname()}:${process.pid}`,
        'trellis.role': role,
      }),
      sampler: samplerOf(options),
      spanProcessors: [processor],
      spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    });
    this.tracer = this.provider.getTracer('trellis', version);
  }

  startSpan(
    name: string,
    { kind, attributes = {} }: SpanOptions,
    parent: TraceContext | undefined,
  ): Span | undefined {
    const context =
      parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote(parent));
    const options = { kind: KINDS[kind], attributes: defined(attributes) };
    const span = this.tracer.startSpan(name, options, context);
    return span.isRecording() ? new RecordedSpan(span) : undefined;
  }

  /** Sends what is left, unless that takes too long. */
  async shutDown(): Promise<void> {
    await settlesWithin(
      this.provider.shutdown().catch(() => undefined),
      SHUTDOWN_LIMIT_MS,
    );
  }
}

class RecordedSpan implements Span {
  readonly context: TraceContext;

  constructor(private readonly span: OpenTelemetrySpan) {
    const { traceId, spanId } = span.spanContext();
    this.context = { traceId, spanId, isSampled: true };
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  setAttributes(attributes: SpanAttributes): void {
    this.span.setAttributes(defined(attributes));
  }

  /** Names the kind of the failure, not its message, which may quote what clients have sent. */
  fail(reason: unknown): void {
    const { name, code } = (reason ?? {}) as { name?: unknown; code?: unknown };
    const type = code ?? name;
    const isText = typeof type === 'string' || typeof type === 'number';
    this.span.setAttribute('error.type', isText ? String(type) : typeof reason);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(failure?: unknown): void {
    if (failure !== undefined) this.fail(failure);
    this.span.end();
  }
}

/** Reports what could not be sent; the SDK's own diagnostics stay off. */
class ReportingExporter implements SpanExporter {
  constructor(
    private readonly exporter: SpanExporter,
    private readonly onFailure: TracerOptions['onFailure'],
  ) {}

  export(spans: ReadableSpan[], onEnd: Parameters<SpanExporter['export']>[1]): void {
    this.exporter.export(spans, (result) => {
      if (result.error !== undefined) this.onFailure(result.error, spans.length);
      onEnd(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }
}

const remote = ({ traceId, spanId, isSampled }: TraceContext) => ({
  traceId,
  spanId,
  isRemote: true,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
});

function defined(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

function samplerOf({ sampler, samplerRatio }: TracingConfig): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(samplerRatio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplerRatio) });
  }
}
