import { Delete, Get, Post, Put } from '@nestjs/common';
import request from 'supertest';
import { FACES, V3, V3Controller, V4, V4Controller } from '../../../src/faces/index.js';
import { notFound } from '../../../src/platform/errors/index.js';
import {
  type ApiFace,
  Answers,
  AnswersNothing,
  AnswerTable,
  ApiProperty,
  buildOpenApiDocument,
  FixedStatus,
  OperationOf,
  provideOtherAnswers,
  VersionedAnswer,
  withMessage,
} from '../../../src/platform/http/index.js';
import { tinyApp, type TinyApp } from './support/tiny-app.js';

class ThingOfV3 {
  @ApiProperty()
  name!: string;
}

class ThingOfV4 {
  @ApiProperty()
  title!: string;
}

@V3Controller('projects/:id/deploy_keys', 'Things')
class ThingsOfV3Controller {
  @Get()
  @Answers(ThingOfV3)
  read(): VersionedAnswer {
    return new VersionedAnswer('1', ({ name }) => Promise.resolve({ name }));
  }

  @Post()
  @Answers(ThingOfV3)
  create(): object {
    return { name: 'new' };
  }

  @Delete([':key_id', ':key_id/disable'])
  @AnswersNothing()
  remove(): object {
    return { name: 'removed' };
  }
}

@V4Controller('projects/:id/deploy_keys', 'Things')
class ThingsOfV4Controller {
  @Get()
  @Answers(ThingOfV4)
  read(): VersionedAnswer {
    return new VersionedAnswer('1', ({ name }) => Promise.resolve({ title: name }));
  }

  @Post()
  @Answers(ThingOfV4)
  create(): object {
    return { title: 'new' };
  }

  @Put()
  @OperationOf('Changes')
  @FixedStatus(202)
  change(): object {
    return { message: '202 Accepted' };
  }

  @Delete(':key_id')
  @AnswersNothing()
  remove(): undefined {
    return undefined;
  }

  @Get('absent')
  absent(): never {
    throw notFound('project');
  }
}

const CONTROLLERS = [ThingsOfV3Controller, ThingsOfV4Controller];

/** The answers of two rooms, as `RefusalAnswers` composes them for version 4. */
const ANSWERS = new Map<ApiFace, AnswerTable>([
  [V3, new AnswerTable([{ resources: { project: 'Project', group: 'Group' } }])],
  [
    V4,
    new AnswerTable(
      [{ resources: { project: 'Project', group: 'Group' } }],
      [{ resources: { project: 'Repository' } }],
    ),
  ],
]);

describe('two versions of the API', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp({
      controllers: CONTROLLERS,
      answers: (face) => ANSWERS.get(face ?? V3) as AnswerTable,
    });
  });
  afterAll(() => tiny.close());

  const call = (verb: 'get' | 'post' | 'put' | 'delete', path: string) =>
    request(tiny.app.getHttpServer())[verb](`/api/${path}`);

  it('answer the same path each by their own controller', async () => {
    await call('get', 'v3/projects/1/deploy_keys').expect(200, { name: 'v3' });
    await call('get', 'v4/projects/1/deploy_keys').expect(200, { title: 'v4' });
  });

  it('have validators of their own for the same content', async () => {
    const { headers } = await call('get', 'v3/projects/1/deploy_keys');
    const known = () => ({ 'If-None-Match': String(headers['etag']) });
    await call('get', 'v3/projects/1/deploy_keys').set(known()).expect(304);
    await call('get', 'v4/projects/1/deploy_keys').set(known()).expect(200);
  });

  it('have statuses of success of their own', async () => {
    await call('post', 'v3/projects/1/deploy_keys').expect(200, { name: 'new' });
    await call('post', 'v4/projects/1/deploy_keys').expect(201, { title: 'new' });
    await call('put', 'v4/projects/1/deploy_keys').expect(202, { message: '202 Accepted' });
    await call('delete', 'v3/projects/1/deploy_keys/5').expect(200, { name: 'removed' });
    const deleted = await call('delete', 'v4/projects/1/deploy_keys/5').expect(204);
    expect(deleted.text).toBe('');
  });

  it('word refusals each as their table says', async () => {
    await call('get', 'v4/projects/1/deploy_keys/absent').expect(404, {
      message: '404 Repository Not Found',
    });
    await call('get', 'v5/projects').expect(404, { error: '404 Not Found' });
    const verb = await call('post', 'v4/projects/1/deploy_keys/5');
    expect([verb.status, verb.body]).toEqual([405, { error: '405 Not Allowed' }]);
  });

  it('take the old paths of version 3 only below version 3', async () => {
    await call('get', 'v3/projects/a%2Fb/keys').expect(200, { name: 'v3' });
    await call('delete', 'v3/projects/1/keys/5/disable').expect(200, { name: 'removed' });
    await call('get', 'v4/projects/1/keys').expect(404, { error: '404 Not Found' });
  });

  it('have documents of their own, with aliases for old paths', async () => {
    const operations = async (face: ApiFace) => {
      const { paths } = await buildOpenApiDocument(tiny.app, face, '1.0.0');
      return Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item as Record<string, { operationId: string; responses: object }>).map(
          ([verb, { operationId, responses }]) =>
            `${verb} ${path} ${operationId} ${Object.keys(responses)[0] ?? ''}`,
        ),
      );
    };
    expect(await operations(V3)).toEqual([
      'get /projects/{id}/deploy_keys Things.read 200',
      'post /projects/{id}/deploy_keys Things.create 200',
      'delete /projects/{id}/deploy_keys/{key_id} Things.remove 200',
      'delete /projects/{id}/deploy_keys/{key_id}/disable Things.remove.alias1 200',
      'get /projects/{id}/keys Things.read.alias1 200',
      'post /projects/{id}/keys Things.create.alias1 200',
      'delete /projects/{id}/keys/{key_id} Things.remove.alias2 200',
      'delete /projects/{id}/keys/{key_id}/disable Things.remove.alias3 200',
    ]);
    expect(await operations(V4)).toEqual([
      'get /projects/{id}/deploy_keys Things.read 200',
      'post /projects/{id}/deploy_keys Things.create 201',
      'put /projects/{id}/deploy_keys Changes.change 202',
      'get /projects/{id}/deploy_keys/absent Things.absent 200',
      'delete /projects/{id}/deploy_keys/{key_id} Things.remove 204',
    ]);
    const schemas = async (face: ApiFace) => {
      const { components } = await buildOpenApiDocument(tiny.app, face, '1.0.0');
      return Object.keys(components?.schemas ?? {}).filter((name) => name.startsWith('Thing'));
    };
    expect(await Promise.all(FACES.map(schemas))).toEqual([['ThingOfV3'], ['ThingOfV4']]);
  });
});

describe('answers that a version words otherwise', () => {
  it('are refused of a version that answers like no other', () => {
    const other = { refusals: { 'sudo-not-permitted': () => withMessage(403, 'no') } };
    expect(() => provideOtherAnswers(V3, 'authorization', other)).toThrow(
      'v3 needs all answers of authorization',
    );
    expect(provideOtherAnswers(V4, 'authorization', other)).toMatchObject({
      provide: 'v4 answers to refusals of authorization',
    });
  });
});
