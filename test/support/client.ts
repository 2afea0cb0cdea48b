import type { Agent } from 'node:http';
import request, { type Response, type Test } from 'supertest';
import { violationsOf } from './openapi-validator.js';

type Verb = 'get' | 'post' | 'put' | 'delete' | 'head';

/** Calls the API and holds every answer against the interface document. */
export class Client {
  /**
   * @param token a private token; calls have no credential when absent
   * @param connections keeps connections for further calls; each call has one of its own when absent
   */
  constructor(
    private readonly url: string,
    private readonly token?: string,
    private readonly connections?: Agent,
  ) {}

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
    const test = request(this.url)[verb](`/api/v3${path}`);
    if (this.connections !== undefined) test.agent(this.connections);
    if (this.token !== undefined) test.set('PRIVATE-TOKEN', this.token);
    return test.expect((response) => assertDocumented(verb, path, response));
  }
}

function assertDocumented(verb: Verb, path: string, response: Response): void {
  const violations = violationsOf(verb, path, response);
  if (violations.length > 0) {
    throw new Error(`${verb} ${path} answers what is not documented:\n${violations.join('\n')}`);
  }
}
