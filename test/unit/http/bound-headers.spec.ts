import type { Request, Response } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import { boundHeaders } from '../../../src/platform/http/request/bound-headers.js';
import { PARSED_HEADERS } from '../../../src/platform/limits/index.js';

const { preferenceCharacters, proxies } = PARSED_HEADERS;

/** The headers as the rest of the service sees them. */
function bounded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  void boundHeaders({ headers } as Request, {} as Response, () => undefined);
  return headers;
}

describe('parsed headers', () => {
  it.each(['accept', 'if-none-match'])('omit %s if it is too long', (name) => {
    const longest = 'a'.repeat(preferenceCharacters);
    expect(bounded({ [name]: longest, host: 'a' })).toEqual({ [name]: longest, host: 'a' });
    expect(bounded({ [name]: `${longest}a`, host: 'a' })).toEqual({ host: 'a' });
  });

  it.each([
    { addresses: 0 },
    { addresses: 1 },
    { addresses: proxies },
    { addresses: proxies + 1 },
    { addresses: 5 * proxies },
  ])('keep the last of $addresses proxies', ({ addresses }) => {
    const list = Array.from({ length: addresses }, (_, index) => `10.0.0.${String(index)}`);
    const { 'x-forwarded-for': left } = bounded({ 'x-forwarded-for': list.join(', ') });
    const kept = String(left)
      .split(',')
      .map((address) => address.trim());
    expect(kept.filter((address) => address !== '')).toEqual(list.slice(-proxies));
  });
});
