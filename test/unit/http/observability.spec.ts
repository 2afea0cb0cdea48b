import { PassThrough } from 'node:stream';
import request from 'supertest';
import { createLogger, NestLogger, redactUrl } from '../../../src/platform/observability/index.js';
import { tinyApp, type TinyApp } from './support/tiny-app.js';

describe('URLs in the log', () => {
  it.each([
    ['/a?private_token=secret&b=1', '/a?private_token=[redacted]&b=1'],
    [`/ns/p/uploads/${'0f'.repeat(16)}/a.png?x=1`, '/ns/p/uploads/[redacted]/a.png?x=1'],
    [`/ns/p/uploads/%30f${'0F'.repeat(15)}/a%20b.png`, '/ns/p/uploads/[redacted]/a b.png'],
    [`/ns/p/uploads/0f0f/a%20b.png`, '/ns/p/uploads/0f0f/a%20b.png'],
    ['/a?b=1&private%5Ftoken=secret', '/a?b=1&private%5Ftoken=[redacted]'],
    ['/a?user[password]=secret', '/a?user[password]=[redacted]'],
    ['/a?token', '/a?token=[redacted]'],
    ['/a?import_url=http%3A%2F%2Fzoe:pw%40h%2Fx&b=1', '/a?import_url=[redacted]&b=1'],
    ['/a?url=http%3A%2F%2Fzoe:pw%40h%2Fx&b=1', '/a?url=[redacted]&b=1'],
    ['/a?%zz_token=secret', '/a?%zz_token=[redacted]'],
    ['/a?b=1', '/a?b=1'],
    ['/a', '/a'],
  ])('%s', (url, redacted) => {
    expect(redactUrl(url)).toBe(redacted);
  });
});

describe('the request log', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp();
  });

  afterAll(() => tiny.close());

  it('writes one line per request, without secrets', async () => {
    await request(tiny.app.getHttpServer())
      .post('/api/v3/odd/echo?private_token=s3cret-1&x=1')
      .set('X-Request-Id', 'line-1')
      .set('PRIVATE-TOKEN', 's3cret-2')
      .set('Authorization', 'Bearer s3cret-3')
      .set('SUDO', 'zoe')
      .send({ password: 's3cret-4' })
      .expect(200);
    const lines = await tiny.logged('line-1');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      req: {
        method: 'POST',
        url: '/api/v3/odd/echo?private_token=[redacted]&x=1',
        sudo: 'zoe',
        remoteAddress: '127.0.0.1',
      },
      res: { statusCode: 200 },
      durationMs: expect.any(Number) as number,
      route: '/api/v3/odd/echo',
    });
    expect(JSON.stringify(lines)).not.toContain('s3cret');
  });

  it.each(['x'.repeat(65), 'a b', '"><script>', ''])('ignores the id %p', async (id) => {
    const response = await request(tiny.app.getHttpServer())
      .get('/api/v3/odd/true')
      .set('X-Request-Id', id);
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('the logger', () => {
  const written = (write: (logger: ReturnType<typeof createLogger>) => void, readable = false) => {
    const destination = new PassThrough();
    write(createLogger({ level: 'debug', readable, destination }));
    return String(destination.read());
  };

  it('redacts secrets under their usual names', () => {
    const line = written((logger) =>
      logger.info(
        { password: 's3cret', user: { token: 's3cret', private_token: 's3cret' }, a: 1 },
        'x',
      ),
    );
    expect(line).not.toContain('s3cret');
    expect(JSON.parse(line)).toMatchObject({ a: 1, msg: 'x' });
  });

  it('omits the parameters of a failed statement', () => {
    const failure = Object.assign(new Error('duplicate key'), {
      query: 'insert …',
      parameters: ['s3cret'],
      driverError: Object.assign(new Error('duplicate key'), {
        code: '23505',
        detail: 'Key (token)=(s3cret) already exists.',
      }),
    });
    const line = written((logger) => logger.error({ err: failure }, 'x'));
    expect(line).not.toContain('s3cret');
    expect(JSON.parse(line)).toMatchObject({
      err: { message: 'duplicate key', cause: { code: '23505' } },
    });
  });

  it('writes readable lines on request', () => {
    expect(written((logger) => logger.warn('careful'), true)).toMatch(/WARN.*careful/);
  });

  it('implements the logger of the framework', () => {
    const line = written((logger) => {
      new NestLogger(logger).error(new Error('broken'), 'Context');
    });
    expect(JSON.parse(line)).toMatchObject({
      level: 50,
      context: 'Context',
      msg: 'broken',
      err: { message: 'broken' },
    });
    const plain = written((logger) => new NestLogger(logger).log({ a: 1 }, 'Context'));
    expect(JSON.parse(plain)).toMatchObject({ level: 30, context: 'Context', msg: '{ a: 1 }' });
  });

  it('logs the start of the framework at level debug', () => {
    const line = written((logger) => new NestLogger(logger).log('Mapped {/}', 'RouterExplorer'));
    expect(JSON.parse(line)).toMatchObject({ level: 20, msg: 'Mapped {/}' });
  });
});
