import { parseRedisAddress } from '../../../src/platform/config/index.js';

const SECRET = 'pA55';

describe('REDIS_URL', () => {
  it('accepts a single server unchanged', () => {
    const url = 'rediss://:p@cache:6380/2?family=6';
    expect(parseRedisAddress(url)).toEqual({ kind: 'server', url });
  });

  it('names Sentinels, with credentials for them and for the servers', () => {
    const credentials = 'ada:p%40ss%2F%3A';
    const parameters = 'master=queue%20one&sentinel_username=s&sentinel_password=q%26';
    const url = `redis+sentinel://${credentials}@a:1,b.example.com,[2001:db8::1]:65535/3?${parameters}`;
    expect(parseRedisAddress(url)).toEqual({
      kind: 'sentinel',
      isEncrypted: false,
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b.example.com', port: 26_379 },
        { host: '2001:db8::1', port: 65_535 },
      ],
      master: 'queue one',
      database: 3,
      credentials: { username: 'ada', password: 'p@ss/:' },
      sentinelCredentials: { username: 's', password: 'q&' },
    });
    expect(parseRedisAddress('rediss+sentinel://:p@a?master=m')).toEqual({
      kind: 'sentinel',
      isEncrypted: true,
      hosts: [{ host: 'a', port: 26_379 }],
      master: 'm',
      database: 0,
      credentials: { password: 'p' },
      sentinelCredentials: {},
    });
  });

  it('names nodes of a cluster', () => {
    for (const end of ['', '/', '/0']) {
      expect(parseRedisAddress(`redis+cluster://a:7000,b${end}`)).toEqual({
        kind: 'cluster',
        isEncrypted: false,
        hosts: [
          { host: 'a', port: 7_000 },
          { host: 'b', port: 6_379 },
        ],
        credentials: {},
      });
    }
    expect(parseRedisAddress('rediss+cluster://u:p@a')).toMatchObject({
      isEncrypted: true,
      credentials: { username: 'u', password: 'p' },
    });
  });

  it.each([
    ['redis://a,b', 'several hosts'],
    ['redis://', 'no address of a Redis'],
    ['http://a', 'no address of a Redis'],
    ['redis+sentinels://a?master=m', 'has to begin with'],
    [`redis+sentinel://:${SECRET}/x@a,b?master=m`, 'percent-encoded'],
    [`redis+sentinel://:${SECRET}@x@a?master=m`, 'percent-encoded'],
    ['redis+sentinel://a,b', '?master=NAME'],
    ['redis+sentinel://a?master=', '?master=NAME'],
    [`redis+sentinel://a?master=m&${SECRET}=1`, 'parameters are master'],
    ['redis+sentinel://a?master=m&master=n', 'each once'],
    ['redis+sentinel://a/x?master=m', 'database is a number'],
    ['redis+sentinel://a,,b?master=m', 'HOST:PORT'],
    ['redis+sentinel://?master=m', 'HOST:PORT'],
    ['redis+sentinel://a:0?master=m', 'HOST:PORT'],
    ['redis+sentinel://a:65536?master=m', 'HOST:PORT'],
    ['redis+sentinel://[a]?master=m', 'HOST:PORT'],
    ['redis+sentinel://a b?master=m', 'HOST:PORT'],
    [`redis+sentinel://:${SECRET}%@a?master=m`, 'not percent-encoded correctly'],
    ['redis+cluster://a/1', 'database 0'],
    [`redis+cluster://a?x=${SECRET}`, 'no parameters'],
  ])('refuses %s with the reason', (url, reason) => {
    const parse = () => parseRedisAddress(url);
    expect(parse).toThrow(reason);
    expect(parse).not.toThrow(SECRET);
  });
});
