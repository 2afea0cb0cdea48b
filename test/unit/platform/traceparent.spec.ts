import { parseTraceparent } from '../../../src/platform/tracing/index.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`cc-${TRACE}-${SPAN}-01`, true],
    [`cc-${TRACE}-${SPAN}-00-of-a-later-version`, false],
  ])('%s names a span', (header, isSampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled });
  });

  it.each([
    undefined,
    [`00-${TRACE}-${SPAN}-01`],
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}x-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01.x`,
  ])('%j is ignored', (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
