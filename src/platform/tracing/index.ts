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
export { parseTraceparent } from './traceparent.js';
export { startTracing } from './start-tracing.js';
