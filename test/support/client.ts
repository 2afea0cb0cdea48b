import type { Agent } from 'node:http';
import request, { type Response, type Test } from 'supertest';
import { V3, V4 } from '../../src/faces/index.js';
import type { ApiFace } from '../../src/platform/http/index.js';
import { violationsOf } from './openapi-validator.js';

type Verb = 'get' | 'post' | 'put' | 'delete' | 'head';

/** Calls a version of the API, 3 unless another is named, and holds every answer against its interface document. */
export class Client {
  /**
   * @param token a private token; calls have no credential when absent
   * @param connections keeps connections for further calls; each call has one of its own when absent
   */
  constructor(
    private readonly url: string,
    private readonly token?: string,
    private readonly connections?: Agent,
    private readonly face: ApiFace = V3,
  ) {}

  /** The same caller at version 4. */
  get v4(): Client {
    return this.at(V4);
  }

  /** The same caller at another version. */
  at(face: ApiFace): Client {
    return new Client(this.url, this.token, this.connections, face);
  }

  get(path: string): Test {
    return this.call('get', path);
  }

  post(path: string, body: object = {}): Test {
    return this.call('post', path).send(body);
  }

  put(path: string, body: object = {}): Test {
    return this.call('put', path).send(body);
  }

  delete(path: string): Test {
    return this.call('delete', path);
  }

  /** A call without a body, to be shaped by the test. */
  call(verb: Verb, path: string): Test {
    const test = request(this.url)[verb](`${this.face.prefix}${path}`);
    if (this.connections !== undefined) test.agent(this.connections);
    if (this.token !== undefined) test.set('PRIVATE-TOKEN', this.token);
    return test.expect((response) => assertDocumented(this.face, verb, path, response));
  }
}

function assertDocumented(face: ApiFace, verb: Verb, path: string, response: Response): void {
  const violations = violationsOf(face, verb, path, response);
  if (violations.length > 0) {
    throw new Error(`${verb} ${path} answers what is not documented:\n${violations.join('\n')}`);
  }
}
