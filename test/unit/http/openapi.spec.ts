import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { V3 } from '../../../src/faces/index.js';
import { buildOpenApiDocument } from '../../../src/platform/http/index.js';
import { OpenApiValidator } from '../../support/openapi-validator.js';
import { tinyApp, type TinyApp } from './support/tiny-app.js';

type Node = Record<string, unknown>;

describe('the interface document', () => {
  let tiny: TinyApp;
  let document: Node;

  beforeAll(async () => {
    tiny = await tinyApp();
    document = (await buildOpenApiDocument(tiny.app, V3, '1.2.3')) as unknown as Node;
  });

  afterAll(() => tiny.close());

  const at = (...path: string[]): unknown =>
    path.reduce<unknown>((node, key) => (node as Node)[key], document);

  it('has a title and the security schemes', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Trellis', version: '1.2.3' },
      servers: [{ url: '/api/v3' }],
      security: [{ privateTokenHeader: [] }, { privateTokenParameter: [] }, { bearer: [] }],
    });
    expect(Object.keys(at('components', 'securitySchemes') as Node)).toEqual([
      'bearer',
      'privateTokenHeader',
      'privateTokenParameter',
    ]);
  });

  it('has the paths of the API below its server, and no other', () => {
    const paths = Object.keys(at('paths') as Node);
    expect(paths).toContain('/things/{id}/branches/{branch}');
    expect(paths).not.toContain('/healthz');
    expect(paths.every((path) => !path.startsWith('/api'))).toBe(true);
    expect([...paths].sort()).toEqual(paths);
  });

  it('documents declared parameters', () => {
    const parameters = at('paths', '/things', 'get', 'parameters') as Node[];
    expect(parameters.map(({ name }) => name)).toEqual(['page', 'per_page', 'iid', 'state']);
    const schema = at('components', 'schemas', 'CreateThing', 'properties') as Node;
    expect(schema['assignee_id']).toMatchObject({ type: ['integer', 'null'] });
    expect(schema['messenger']).toMatchObject({ description: 'Also accepted as `skype`.' });
    expect(at('components', 'schemas', 'CreateThing', 'required')).toEqual(['title']);
    const body = at('paths', '/things', 'post', 'requestBody', 'content') as Node;
    expect(Object.keys(body)).toContain('application/x-www-form-urlencoded');
  });

  it('documents ids in paths as integers', () => {
    const path = '/things/{id}/issues/{issue_id}';
    const parameters = at('paths', path, 'get', 'parameters') as Node[];
    expect(parameters.map(({ name, schema }) => [name, schema])).toEqual([
      ['id', { type: 'string' }],
      ['issue_id', { type: 'integer' }],
    ]);
  });

  it('documents successes of both profiles and errors', () => {
    const statuses = (path: string, verb: string): string[] =>
      Object.keys(at('paths', path, verb, 'responses') as Node);
    expect(statuses('/things', 'post').slice(0, 2)).toEqual(['200', '201']);
    expect(statuses('/things/{id}', 'put')[0]).toBe('200');
    expect(statuses('/things/{id}', 'put')).not.toContain('201');
    expect(statuses('/people/{id}/keys', 'post')).not.toContain('200');
    expect(statuses('/people/{id}/share', 'delete')[0]).toBe('204');
    expect(statuses('/things', 'get')).toEqual(
      expect.arrayContaining(['400', '401', '403', '404', '429', '500', '503']),
    );
    expect(JSON.stringify(document)).not.toMatch(/x-fixed|x-paged|x-may|"nullable"/);
  });

  it('documents Retry-After, where an error may have it', () => {
    const { responses, headers } = document['components'] as {
      responses: Record<string, { headers?: object }>;
      headers: Record<string, { schema: object }>;
    };
    const retryAfter = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };
    expect(responses['TooManyRequests']?.headers).toEqual(retryAfter);
    expect(responses['ServiceUnavailable']?.headers).toEqual(retryAfter);
    expect(responses['NotFound']?.headers).toBeUndefined();
    expect(headers['Retry-After']?.schema).toEqual({ type: 'integer', minimum: 1 });
  });

  it('documents the page headers of lists', () => {
    const headers = at('paths', '/things', 'get', 'responses', '200', 'headers') as Node;
    expect(Object.keys(headers).sort()).toEqual([
      'Link',
      'X-Next-Page',
      'X-Page',
      'X-Per-Page',
      'X-Prev-Page',
      'X-Total',
      'X-Total-Pages',
    ]);
  });

  it('is deterministic', async () => {
    const again = await buildOpenApiDocument(tiny.app, V3, '1.2.3');
    expect(JSON.stringify(again)).toBe(JSON.stringify(document));
  });

  describe('compared with responses', () => {
    const violations = async (verb: 'get' | 'post' | 'delete', path: string, sent?: object) => {
      const response = await request(tiny.app.getHttpServer())
        [verb](path)
        .send(sent ?? {});
      return new OpenApiValidator(document, V3).violations({
        method: verb.toUpperCase(),
        path,
        status: response.status,
        headers: response.headers,
        body: response.text === '' ? undefined : response.body,
      });
    };

    it('accepts documented responses', async () => {
      expect(await violations('get', '/api/v3//things/?page=2')).toEqual([]);
      expect(await violations('get', '/api/v3/things?page=x')).toEqual([]);
      expect(await violations('delete', '/api/v3/things/5')).toEqual([]);
      expect(await violations('get', '/api/v3/nowhere')).toEqual([]);
    });

    it('names missing and unknown fields', async () => {
      expect(await violations('post', '/api/v3/things', { title: 'x' })).toEqual([
        `POST /api/v3/things (200): body must have required property 'id'`,
        'POST /api/v3/things (200): body must NOT have additional properties "title"',
      ]);
    });

    it('names undocumented routes, statuses, bodies and missing headers', () => {
      const validator = new OpenApiValidator(document, V3);
      const seen = { method: 'GET', headers: {}, body: undefined };
      expect(validator.violations({ ...seen, path: '/api/v3/x', status: 200 })).toEqual([
        'GET /api/v3/x (200): the route is not documented',
      ]);
      expect(validator.violations({ ...seen, path: '/api/v3/things', status: 302 })).toEqual([
        'GET /api/v3/things (302): the status is not documented',
      ]);
      expect(validator.violations({ ...seen, path: '/api/v3/things', status: 200 })).toContain(
        'GET /api/v3/things (200): the header Link is missing',
      );
      const deleted = { ...seen, method: 'DELETE', path: '/api/v3/things/5', body: { a: 1 } };
      expect(validator.violations({ ...deleted, status: 200 })).toEqual([
        'DELETE /api/v3/things/5 (200): a body that is not documented',
      ]);
    });
  });
});

describe('serving the interface document', () => {
  let folder: string;
  let tiny: TinyApp;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trellis-openapi-'));
    tiny = await tinyApp({ packageRoot: folder });
  });

  afterAll(async () => {
    await tiny.close();
    await rm(folder, { recursive: true });
  });

  it('returns the file after it is built', async () => {
    const get = () => request(tiny.app.getHttpServer()).get('/api/v3/openapi.json');
    await get().expect(500, { message: '500 Internal Server Error' });
    await writeFile(join(folder, 'openapi.json'), '{"openapi":"3.1.0"}');
    const response = await get().expect(200, { openapi: '3.1.0' });
    expect(response.headers['content-type']).toBe('application/json');
    await get().set('If-None-Match', String(response.headers['etag'])).expect(304);
    const post = await request(tiny.app.getHttpServer()).post('/api/v3/openapi.json');
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});
