import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Verb } from './interface-operations.js';

export interface RawRequest {
  verb: Verb;
  /** Sent as it is, dots and escapes included. */
  path: string;
  body?: string;
  /** The media type of the body. */
  type?: string;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends requests on connections that are kept, without a look at what is in them. */
export class RawRequests {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    private readonly token: string,
    atOnce: number,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  }

  send({ verb, path, body, type }: RawRequest): Promise<RawAnswer> {
    const { hostname, port } = new URL(this.url);
    const headers = {
      'PRIVATE-TOKEN': this.token,
      ...(body === undefined
        ? {}
        : { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }),
    };
    const options = {
      agent: this.agent,
      hostname,
      port,
      path,
      method: verb.toUpperCase(),
      headers,
    };
    return new Promise((resolve, reject) => {
      const call = request(options, (response) => {
        text(response).then(
          (whole) =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: whole }),
          reject,
        );
      });
      call.once('error', reject);
      call.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
