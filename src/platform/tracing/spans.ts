import { type CallScope, currentScope, runInScope } from '../async/index.js';
import { formatTraceparent, type TraceContext } from './traceparent.js';

export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

/** By the names of OpenTelemetry's conventions; no secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A part of a trace that is being recorded. */
export interface Span {
  readonly context: TraceContext;
  /** Gives it the name that is known only now. */
  rename(name: string): void;
  setAttributes(attributes: SpanAttributes): void;
  /** Says that what it is about has failed. */
  fail(reason: unknown): void;
  /** Ends it; with the reason if what it is about has failed. */
  end(failure?: unknown): void;
}

export interface SpanOptions {
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
}

/** Records spans. The service has one while it is configured to send traces. */
export interface Tracer {
  /**
   * Begins a span.
   * @param parent undefined for the first span of a trace
   * @returns undefined if the trace is not recorded
   */
  startSpan(name: string, options: SpanOptions, parent: TraceContext | undefined): Span | undefined;
}

let tracer: Tracer | undefined;

/** Sets what records the spans of the process; undefined ends recording. */
export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Begins a span that is the first of this process in its trace; undefined if none is recorded. */
export function startTrace(
  name: string,
  options: SpanOptions,
  parent: TraceContext | undefined,
): Span | undefined {
  return tracer?.startSpan(name, options, parent);
}

/** The scope of a span whose work is not followed yet. */
export const newScope = (span: Span | undefined): CallScope<Span> => ({
  counts: { statements: 0 },
  span,
});

/** Counts a statement for the request, command or job that sends it. */
export function countStatement(): void {
  const scope = currentScope();
  if (scope !== undefined) scope.counts.statements += 1;
}

/**
 * Begins a span below that of the current chain of calls; undefined where that is not traced.
 * @param describe its name and options, asked for only where it is traced
 */
export function spanOf(describe: () => readonly [string, SpanOptions]): Span | undefined {
  const parent = currentSpan();
  if (parent === undefined) return undefined;
  const [name, options] = describe();
  return tracer?.startSpan(name, options, parent.context);
}

/** Runs work in a span below that of the current chain of calls, if that is traced. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = spanOf(() => [name, options]);
  const counts = currentScope()?.counts;
  if (span === undefined || counts === undefined) return work(undefined);
  return endedWith(span, () => runInScope({ counts, span }, () => work(span)));
}

/**
 * Runs work in a span whose parent may be of another process.
 * @param run.parent undefined for the first span of a trace
 */
export async function inTrace<T>(
  name: string,
  options: SpanOptions,
  run: { parent: TraceContext | undefined; work: () => Promise<T> },
): Promise<T> {
  const { parent, work } = run;
  const span = startTrace(name, options, parent);
  if (span === undefined) return work();
  return endedWith(span, () => runInScope(newScope(span), work));
}

/** The span of the current chain of calls as `traceparent` names it; null where that is not traced. */
export function currentTraceparent(): string | null {
  const span = currentSpan();
  return span === undefined ? null : formatTraceparent(span.context);
}

function currentSpan(): Span | undefined {
  return (currentScope() as CallScope<Span> | undefined)?.span;
}

async function endedWith<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
