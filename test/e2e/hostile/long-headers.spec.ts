import { converse } from '../../support/chunked-body.js';
import { sendExactly } from '../../support/exact-request.js';
import type { Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

/** Fits into the 16 KiB of headers that Node takes. */
const LONG = 15_000;

describe('long headers', () => {
  let trellis: Trellis;
  let user: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    user = await trellis.factories.user();
  });

  const get = (path: string, headers: Readonly<Record<string, string>>) =>
    sendExactly(trellis.url, { method: 'GET', path, headers });

  it('do not select an HTML page', async () => {
    const typeFor = async (accept: string) =>
      (await get('/no/such/page', { accept })).headers['content-type'];
    expect(await typeFor('text/html')).toMatch(/^text\/html/);
    expect(await typeFor('text/html,'.repeat(LONG / 10))).toMatch(/^application\/json/);
  });

  it('do not match a version in conditional requests', async () => {
    const token = { 'PRIVATE-TOKEN': user.token };
    const { etag } = (await get('/api/v3/user', token)).headers;
    const statusFor = async (list: string) =>
      (await get('/api/v3/user', { ...token, 'if-none-match': list })).status;
    expect(await statusFor(String(etag))).toBe(304);
    expect(await statusFor(`${'"a", '.repeat(LONG / 5)}${String(etag)}`)).toBe(200);
  });

  it('are refused above 16 KiB, also in parts', async () => {
    const line = `Accept: ${'a/b,'.repeat(10)}\r\n`;
    for (const headers of [line.repeat(1_000), `Accept: ${'a/b,'.repeat(100_000)}\r\n`]) {
      const text = ['GET /no/such/page HTTP/1.1\r\nHost: x\r\n', headers, '\r\n'];
      const { text: answer, socket } = await converse(trellis.url, text);
      expect(answer).toMatch(/^HTTP\/1.1 431 /);
      socket.destroy();
    }
  });
});
