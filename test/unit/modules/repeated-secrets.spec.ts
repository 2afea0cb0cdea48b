import { withoutRepeatedSecrets } from '../../../src/modules/hooks/deliveries/delivery-request.js';

describe('An answer in the log of deliveries', () => {
  const token = 'whsec_MfKQ9r8/GKYqrTwjUPD8ILPZ';
  const request = {
    ...{ url: new URL('http://receiver.example.com/'), body: '{}' },
    headers: { 'X-Gitlab-Token': token },
    customHeaders: [],
    urlSecrets: [],
  };
  const kept = (body: string): string =>
    withoutRepeatedSecrets({ status: 200, headers: {}, body }, request).body;

  it.each([
    ['as it was sent', `token: ${token}.`, 'token: [redacted].'],
    ['in JSON', `{"t":"${token.replace('/', '\\/')}"}`, '{"t":"[redacted]"}'],
    ['cut off where the answer was read to', `token: ${token.slice(0, -1)}`, 'token: [redacted]'],
    ['a few of its characters', `token: ${token.slice(0, 5)}`, 'token: whsec'],
  ])('contains no token of the hook, %s', (_, body, expected) => {
    expect(kept(body)).toBe(expected);
  });
});
