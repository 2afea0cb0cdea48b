import { parseBasic } from '../../../src/platform/http/index.js';

const header = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('basic credentials', () => {
  it('are split at the first colon', () => {
    expect(parseBasic(header('ada:pass:word'))).toEqual({ login: 'ada', secret: 'pass:word' });
    expect(parseBasic(header('ada:'))).toEqual({ login: 'ada', secret: '' });
    expect(parseBasic(header('ädä:pässword'))).toEqual({ login: 'ädä', secret: 'pässword' });
  });

  it.each([undefined, '', 'Basic', 'Basic !!!', 'Bearer abc', header('no colon'), header(':x')])(
    'are null in %j',
    (authorization) => {
      expect(parseBasic(authorization)).toBeNull();
    },
  );

  it('are null with a NUL in them', () => {
    expect(parseBasic(header('a\0da:x'))).toBeNull();
  });
});
