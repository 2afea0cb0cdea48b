import 'reflect-metadata';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { getMetadataStorage, IsInt, Max, validateSync } from 'class-validator';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  allowedVerbs,
  createExpressServer,
  findRoutesBySegments,
  replaceParameters,
} from '../../../src/platform/http/internals/express.js';
import { rememberConstraints } from '../../../src/platform/http/internals/class-validator.js';
import { routeArguments } from '../../../src/platform/http/internals/nest.js';
import { HttpAdapter } from '../../../src/platform/http/index.js';
import { BodyIntake } from '../../../src/platform/http/server/body-intake.js';
import { tinyApp, type TinyApp } from './support/tiny-app.js';

class Values {
  readonly name: string = '';
}

@Controller('values')
class ValuesController {
  @Get()
  read(@Query() values: Values, @Query('name') name: string): string {
    return `${values.name}${name}`;
  }

  @Get(':id')
  readOne(@Param('id') id: number, @Param('name') name: string): string {
    return `${String(id)}${name}`;
  }

  @Post()
  write(@Res() response: Response, @Body() values: Values): void {
    response.json(values);
  }
}

/** Each test fails when an upgrade of Nest or Express changes what `internals/` depends on. */
describe('the internals of Nest and Express', () => {
  let app: NestExpressApplication;
  let express: Express;
  let url: string;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ controllers: [ValuesController] }).compile();
    app = module.createNestApplication<NestExpressApplication>(new HttpAdapter(), {
      bodyParser: false,
      logger: false,
    });
    express = app.getHttpAdapter().getInstance();
  });

  afterAll(() => app.close());

  it('gives requests and responses the prototypes of Express at their creation', async () => {
    const created: object[] = [];
    const seen: object[] = [];
    app.getHttpServer().prependListener('request', (request: object, response: object) => {
      created.push(...[request, response].map((each) => Object.getPrototypeOf(each) as object));
    });
    const look: RequestHandler = (request, response, next) => {
      seen.push(...[request, response].map((each) => Object.getPrototypeOf(each) as object));
      next();
    };
    app.use(look);
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    const answer = await fetch(`${url}/values?name=x`);
    expect(await answer.text()).toBe('xx');
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(created[0]);
    expect(seen[1]).toBe(created[1]);
    expect(seen[0]).toBe(express.request);
    expect(seen[1]).toBe(express.response);
    expect(express.request).toBeInstanceOf(IncomingMessage);
    expect(express.response).toBeInstanceOf(ServerResponse);
  });

  it('keeps the methods of Express and of Node on requests', () => {
    expect(typeof express.request.get).toBe('function');
    expect(typeof express.response.json).toBe('function');
    expect(typeof (express.response as unknown as ServerResponse).writeHead).toBe('function');
  });

  it('finds the verbs of a path in the router', () => {
    expect(allowedVerbs(express, '/values?name=x')).toEqual(['GET', 'HEAD', 'POST']);
    expect(allowedVerbs(express, '/unknown')).toEqual([]);
  });

  it('reads the arguments of handlers from the metadata of Nest', () => {
    const read = routeArguments(ValuesController, 'read');
    expect(read).toHaveLength(2);
    expect(read).toEqual(
      expect.arrayContaining([
        { source: 'query', selected: undefined, type: Values },
        { source: 'query', selected: 'name', type: String },
      ]),
    );
    expect(routeArguments(ValuesController, 'readOne')).toEqual(
      expect.arrayContaining([
        { source: 'path', selected: 'id', type: Number },
        { source: 'path', selected: 'name', type: String },
      ]),
    );
    expect(routeArguments(ValuesController, 'write')).toEqual(
      expect.arrayContaining([
        { source: 'response', selected: undefined, type: expect.anything() as unknown },
        { source: 'body', selected: undefined, type: Values },
      ]),
    );
  });

  it('hides the getter of the query', () => {
    const request = Object.create(express.request) as Request;
    replaceParameters(request, 'query', { name: 'own' });
    expect(request.query).toEqual({ name: 'own' });
    // Without it an assignment would do.
    expect(() => Object.assign(Object.create(express.request) as object, { query: {} })).toThrow(
      TypeError,
    );
  });
});

describe('the routes of an application', () => {
  let tiny: TinyApp;
  let url: string;

  beforeAll(async () => {
    tiny = await tinyApp();
    url = await tiny.app.getUrl();
  });

  afterAll(() => tiny.close());

  it('are case-sensitive', async () => {
    expect((await fetch(`${url}/api/v3/things`)).status).toBe(200);
    expect((await fetch(`${url}/API/v3/things`)).status).toBe(404);
  });

  it('have JSON answers for unknown paths outside of the prefix', async () => {
    const answer = await fetch(`${url}/unknown`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('application/json');
  });
});

interface ComparingLayer {
  readonly route?: { readonly path: string };
  match: (path: string) => unknown;
}

describe('routes that are found by segments', () => {
  // A later route that fits better must not win.
  const ROUTES = [
    '/api/v3/user',
    '/api/v3/projects/:id',
    '/api/v3/projects/:id/issues/new',
    '/api/v3/projects/:id/:part/:number',
    '/api/v3/projects/:id/issues/:number',
    '/api/v3/projects/:id/files/*path/raw',
    '/api/v3/projects/:id/files/*path',
    '/api/v3/*rest/raw',
    '/api/v3/projects/:id/notes{/:number}',
    '/api/v3/:kind',
    '/api/v4/projects/:id/issues/:number',
    '/outside',
  ];
  const PATHS = [
    ...['/user', '/projects', '/projects/1', '/projects/1/issues', '/projects/1/issues/new'],
    ...[
      '/projects/1/issues/2',
      '/projects/1/files/a/b/raw',
      '/projects/1/files/a/b',
      '/groups/raw',
    ],
    ...[
      '/projects/1/notes',
      '/projects/1/notes/2',
      '/projects/1/%69ssues/2',
      '/unknown',
      '/a/b/c/d',
    ],
    ...['/projects/%zz', '', '/'],
  ].flatMap((path) => [`/api/v3${path}`, `/api/v4${path}`]);

  const prefixOf = ({ path }: { readonly path: string }): string | undefined =>
    ['/api/v3', '/api/v4'].find((prefix) => path.startsWith(prefix));

  async function answers(bySegments: boolean): Promise<{ answered: string[]; compared: string[] }> {
    const app = express();
    const compared: string[] = [];
    if (bySegments) app.use(findRoutesBySegments(app, prefixOf));
    for (const route of ROUTES) {
      app.get(route, (request, response) => void response.json([route, request.params]));
    }
    for (const layer of app.router.stack as unknown as ComparingLayer[]) {
      const match = layer.match.bind(layer);
      layer.match = (path: string) => {
        compared.push(`${path} ${layer.route?.path ?? ''}`);
        return match(path);
      };
    }
    app.use((_request, response) => void response.status(404).json('no route'));
    const server = createExpressServer(app, {
      listen: (handle) => handle,
      intake: (stream) => new BodyIntake(stream),
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answered = [];
    for (const [path, method] of [
      ...PATHS.map((path) => [path, 'GET'] as const),
      ['/api/v3/user', 'OPTIONS'] as const,
    ]) {
      const response = await fetch(`http://127.0.0.1:${String(port)}${path}`, { method });
      answered.push(`${path} ${String(response.status)} ${await response.text()}`);
    }
    server.close();
    server.closeAllConnections();
    return { answered, compared };
  }

  it('are those that Express finds, without comparing the others', async () => {
    const [plain, quick] = [await answers(false), await answers(true)];
    // Of errors, the texts hold the stack.
    const heads = ({ answered }: typeof plain) => answered.map((text) => text.slice(0, 80));
    expect(heads(quick)).toEqual(heads(plain));
    const ofIssue = ({ compared }: typeof plain) =>
      compared.filter((text) => text.startsWith('/api/v3/projects/1/issues/2 /'));
    expect(ofIssue(plain)).toHaveLength(4);
    expect(ofIssue(quick)).toHaveLength(3);
    const ofVersion3 = quick.compared.filter((text) =>
      text.startsWith('/api/v4/projects/1/issues/2 /api/v3/'),
    );
    expect(ofVersion3).toEqual([]);
  });
});

/** The test fails when an upgrade of class-validator changes what `internals/` depends on. */
describe('the constraints of a class', () => {
  class Base {
    @IsInt()
    first: unknown = 'no number';
  }

  class Derived extends Base {
    @Max(3)
    second = 4;
  }

  it('are searched once, with those of its base class', () => {
    const searches: unknown[] = [];
    const storage = getMetadataStorage();
    const search = storage.getTargetValidationMetadatas.bind(storage);
    storage.getTargetValidationMetadatas = (type, ...options) => {
      searches.push(type);
      return search(type, ...options);
    };
    rememberConstraints();
    const refused = [1, 2].map(() =>
      validateSync(new Derived()).map(({ property, constraints = {} }) => [
        property,
        ...Object.keys(constraints),
      ]),
    );
    const both = [
      ['second', 'max'],
      ['first', 'isInt'],
    ];
    expect(refused).toEqual([both, both]);
    expect(searches).toEqual([Derived]);
  });
});
