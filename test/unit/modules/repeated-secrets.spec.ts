import { withoutRepeatedSecrets } from '../../../src/modules/hooks/deliveries/delivery-request.js';

const request = { url: new URL('http://receiver.example.com/'), body: '{}' };

describe('An answer in the log of deliveries', () => {
  const token = 'whsec_MfKQ9r8/GKYqrTwjUPD8ILPZ';
  const withToken = {
    ...request,
    headers: { 'X-Gitlab-Token': token },
    customHeaders: [],
    urlSecrets: [],
  };
  const kept = (body: string): string =>
    withoutRepeatedSecrets({ status: 200, headers: {}, body }, withToken).body;

  it.each([
    ['as it was sent', `token: ${token}.`, 'token: [redacted].'],
    ['twice', `${token}${token}`, '[redacted][redacted]'],
    ['after its beginning', `whsec_MfKwhsec_${token}`, 'whsec_MfKwhsec_[redacted]'],
    ['in JSON', `{"t":"${token.replace('/', '\\/')}"}`, '{"t":"[redacted]"}'],
    ['cut off where the answer was read to', `token: ${token.slice(0, -1)}`, 'token: [redacted]'],
    ['a few of its characters', `token: ${token.slice(0, 5)}`, 'token: whsec'],
  ])('contains no token of the hook, %s', (_, body, expected) => {
    expect(kept(body)).toBe(expected);
  });
});

describe('An answer to a request with variables in its URL', () => {
  const kept = (body: string, ...urlSecrets: string[]): string => {
    const sent = { ...request, headers: {}, customHeaders: [], urlSecrets };
    return withoutRepeatedSecrets({ status: 404, headers: {}, body }, sent).body;
  };

  it.each([
    ['as it is', 'T1/B2/very secret'],
    ['as paths have it', 'T1/B2/very%20secret'],
    ['as forms have it', 'T1%2FB2%2Fvery%20secret'],
  ])('does not contain them, %s', (_, repeated) => {
    expect(kept(`Cannot POST /services/${repeated}`, 'T1/B2/very secret')).toBe(
      'Cannot POST /services/[redacted]',
    );
  });

  it('is read where a variable has half of a surrogate pair', () => {
    expect(kept('Cannot POST /secret%EF%BF%BD', 'secret\ud800')).toBe('Cannot POST /[redacted]');
  });
});

describe('Redacting', () => {
  it('takes no longer for secrets that an answer nearly repeats', () => {
    const headers = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `X-Key-${String(index)}`,
        `${'a'.repeat(300 + index)}b${'a'.repeat(1_747 - index)}`,
      ]),
    );
    const sent = { ...request, headers, customHeaders: Object.keys(headers), urlSecrets: [] };
    const body = 'a'.repeat(64 * 1_024);
    const began = performance.now();
    expect(withoutRepeatedSecrets({ status: 200, headers: {}, body }, sent).status).toBe(200);
    // Comparing each position to its end takes several seconds.
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
