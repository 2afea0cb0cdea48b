import { getSystemErrorName } from 'node:util';
import request from 'supertest';
import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import { GitProcessError } from '../../../src/git/index.js';
import { refFailure } from '../../../src/git/refs/ref-change.js';
import { gitRefusal } from '../../../src/modules/repository/index.js';
import * as errors from '../../../src/platform/errors/index.js';
import { answerOf, AnswerTable } from '../../../src/platform/http/errors/refusal-answers.js';
import { isStoreTrouble } from '../../../src/platform/errors/store-trouble.js';
import { tinyApp, type TinyApp } from './support/tiny-app.js';

const TABLE = new AnswerTable([{ resources: { project: 'Project' } }]);

describe('the error table', () => {
  it.each([
    [errors.unauthenticated(), 401, { message: '401 Unauthorized' }],
    [errors.forbidden(), 403, { message: '403 Forbidden' }],
    [errors.notFound('project'), 404, { message: '404 Project Not Found' }],
    [errors.recordNotFound('job'), 404, { message: '404 Not found' }],
    [errors.routeNotFound(), 404, { error: '404 Not Found' }],
    [errors.invalidParameter('a is missing'), 400, { error: 'a is missing' }],
    [
      errors.invalidFields({ title: [{ rule: 'blank' }], dueDate: [{ rule: 'missing' }] }),
      400,
      { message: { title: ["can't be blank"], due_date: ['does not exist'] } },
    ],
    [
      new errors.DomainError({ code: 'malformed-timestamp', name: 'since' }),
      400,
      { message: '"since" must be a timestamp in ISO 8601 format: YYYY-MM-DDTHH:MM:SSZ' },
    ],
    [errors.conflict(), 409, { message: '409 Conflict' }],
    [errors.notModified(), 304, undefined],
    [errors.tooLarge(), 413, { message: '413 Request Entity Too Large' }],
    [
      errors.unsupportedMediaType('a/b'),
      415,
      { error: "The provided content-type 'a/b' is not supported." },
    ],
    [errors.unavailable(), 503, { message: '503 Service Unavailable' }],
  ])('%s', (refusal, status, body) => {
    expect(TABLE.answer(refusal)).toEqual(body === undefined ? { status } : { status, body });
  });

  it('words a broken rule with its limit and value', () => {
    const fields = {
      name: [{ rule: 'too-long', limit: 255 }],
      path: [{ rule: 'reserved', value: 'projects' }],
    } as const;
    expect(answerOf(errors.invalidFields(fields)).body).toEqual({
      message: {
        name: ['is too long (maximum is 255 characters)'],
        path: ['projects is a reserved name'],
      },
    });
  });

  it('spells fields as the room says', () => {
    const table = new AnswerTable([{ fields: { labelName: 'title' } }]);
    const refusal = errors.invalidFields({ labelName: [{ rule: 'taken' }] });
    expect(table.answer(refusal).body).toEqual({ message: { title: ['has already been taken'] } });
  });

  it('leaves out fields without a problem', () => {
    const refusal = errors.invalidFields({ title: [], name: [{ rule: 'blank' }] });
    expect(answerOf(refusal).body).toEqual({ message: { name: ["can't be blank"] } });
  });

  it('throws for what no room answers', () => {
    expect(() => answerOf(errors.notFound('project'))).toThrow('No room answers project');
  });

  it('takes one answer to each refusal', () => {
    const twice = [{ resources: { project: 'A' } }, { resources: { project: 'B' } }];
    expect(() => new AnswerTable(twice)).toThrow('Two rooms answer the same refusal');
  });

  it('adds headers to the response', () => {
    expect(answerOf(errors.verbNotRouted(['GET', 'PUT']))).toEqual({
      status: 405,
      body: { error: '405 Not Allowed' },
      headers: { Allow: 'GET, PUT' },
    });
    expect(answerOf(errors.tooManyRequests(0.2))).toEqual({
      status: 429,
      body: { message: '429 Too Many Requests' },
      headers: { 'Retry-After': '1' },
    });
  });
});

describe('errors of a store', () => {
  it.each([
    { code: 'ECONNREFUSED' },
    { code: '25006' },
    new QueryRunnerAlreadyReleasedError(),
    { code: '57P01' },
    { code: '53300' },
    { code: 'ENOSPC' },
    { code: 'ENOTCONN' },
    Object.assign(new Error('stale'), { code: getSystemErrorName(-116) }),
    { code: '57014' },
    { code: '08006' },
    { driverError: { code: '57P03' } },
    new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
    new Error('x', { cause: { code: 'EPIPE' } }),
    new Error('timeout exceeded when trying to connect'),
    new Error('Connection terminated unexpectedly'),
  ])('is %p', (failure) => {
    expect(isStoreTrouble(failure)).toBe(true);
  });

  it.each([
    { code: '23505' },
    { code: '22P02' },
    { code: 'ENOENT' },
    new Error('x'),
    null,
    'ECONNREFUSED',
  ])('is not %p', (failure) => {
    expect(isStoreTrouble(failure)).toBe(false);
  });

  it('stops at circular causes', () => {
    const error = new Error('x');
    error.cause = error;
    expect(isStoreTrouble(error)).toBe(false);
  });
});

describe('failures over HTTP', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    const translate = (failure: unknown) =>
      failure instanceof RangeError ? errors.tooLarge() : undefined;
    tiny = await tinyApp({ translate });
  });

  afterAll(() => tiny.close());

  const get = (path: string) => request(tiny.app.getHttpServer()).get(`/api/v3/odd/${path}`);

  it('returns the translated errors of other modules', () =>
    get('foreign').expect(413, { message: '413 Request Entity Too Large' }));

  it('returns domain errors', () =>
    get('missing').expect(404, { message: '404 Project Not Found' }));

  it('logs the reason of an unexpected error under the returned request id', async () => {
    const response = await get('broken').set('X-Request-Id', 'trace-1');
    expect(response.status).toBe(500);
    expect(response.body).toEqual({ message: '500 Internal Server Error' });
    expect(response.headers['x-request-id']).toBe('trace-1');
    const [line] = await tiny.logged('trace-1');
    expect(line).toMatchObject({
      level: 50,
      err: {
        message: 'the secret reason',
        stack: expect.stringContaining('controllers') as string,
      },
      res: { statusCode: 500 },
    });
  });

  it('returns 503 when a store does not respond', () =>
    get('store').expect(503, { message: '503 Service Unavailable' }).expect('Retry-After', '5'));

  it('returns exceptions of the framework in the usual shape', () =>
    get('nest').expect(418, { message: "418 I'm a Teapot" }));

  it('closes the connection when the response has started', async () => {
    await expect(get('half')).rejects.toThrow(/aborted|hang up|reset/);
  });
});

describe('an error of git', () => {
  it.each([
    'fatal: write error: No space left on device',
    'error: unable to write file ./objects/ab/cd: Disk quota exceeded',
  ])('for lack of space is unavailable: %s', (stderr) => {
    const refusal = gitRefusal(new GitProcessError('index-pack', 128, stderr));
    expect(refusal && answerOf(refusal).status).toBe(503);
  });

  const stale = 'Stale file handle';
  const lock = "fatal: prepare: cannot lock ref 'refs/heads/master'";
  // The first two are what git said on two mounts of a volume of GlusterFS 10 with its default options.
  it.each([
    `fatal: couldn't read ./packed-refs: ${stale}`,
    `${lock}: unable to resolve reference 'refs/heads/master': ${stale}`,
    `${lock}: Unable to create './refs/heads/master.lock': ${stale}`,
    `${lock}: Unable to create './refs/heads/master.lock': File exists.`,
    `error: unable to open ./objects/pack: ${stale}`,
    'fatal: unable to read tree: Input/output error',
    "fatal: cannot change to '/srv/1.git': Transport endpoint is not connected",
  ])('of a storage that another machine changes is unavailable: %s', (stderr) => {
    const refusal = gitRefusal(refFailure(new GitProcessError('update-ref', 128, stderr)));
    expect(refusal && answerOf(refusal)).toMatchObject({
      status: 503,
      headers: { 'Retry-After': '5' },
    });
  });

  it.each([
    `${lock}: is at ${'a'.repeat(40)} but expected ${'b'.repeat(40)}`,
    `${lock}: unable to resolve reference 'refs/heads/master'`,
    `${lock}: reference is missing but expected ${'b'.repeat(40)}`,
    `${lock}: error reading reference`,
  ])('that finds a ref changed meanwhile is a conflict: %s', (stderr) => {
    const failure = refFailure(new GitProcessError('update-ref', 128, stderr));
    expect(failure).toMatchObject({ code: 'stale-ref', ref: 'refs/heads/master' });
  });

  it('for another reason is unexpected', () => {
    expect(gitRefusal(new GitProcessError('index-pack', 128, 'fatal: oops'))).toBeUndefined();
  });
});
