export {
  countStatement,
  currentTraceparent,
  inSpan,
  inTrace,
  newScope,
  type Span,
  spanOf,
  startTrace,
} from './spans.js';
export { parseTraceparent, type TraceContext } from './traceparent.js';
export {
  startTracing,
  type Tracing,
  type TracingOptions,
  TracingUnavailableError,
} from './start-tracing.js';
