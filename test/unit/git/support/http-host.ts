import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGunzip } from 'node:zlib';
import {
  advertisementHeader,
  type Gate,
  type PackServiceName,
  type PushOutcome,
  type Repository,
} from '../../../../src/git/index.js';

export interface PushRules {
  gate?: Gate;
  settle?: (outcome: PushOutcome) => Promise<{ messages?: readonly string[] }>;
}

/** The least HTTP server that a git client can clone from and push to. */
export class HttpHost {
  rules: PushRules = {};
  /** Asks for this `Authorization`; what came instead is told back to the client. */
  authorization: string | undefined;
  /** Answers everything with this status and headers. */
  refusal: { status: number; headers?: Record<string, string> } | undefined;
  /** What the pack services threw, and what git said when a fetch failed. */
  readonly errors: unknown[] = [];
  private readonly server: Server;

  private constructor(private readonly repository: Repository) {
    this.server = createServer((request, response) => {
      this.serve(request, response).catch((error: unknown) => {
        this.errors.push(error);
        response.end();
      });
    });
  }

  static async open(repository: Repository): Promise<HttpHost> {
    const host = new HttpHost(repository);
    host.server.listen(0, '127.0.0.1');
    await once(host.server, 'listening');
    return host;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/x.git`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const given = request.headers.authorization;
    if (this.refusal) {
      response.writeHead(this.refusal.status, this.refusal.headers).end();
      return;
    }
    if (this.authorization !== undefined && given !== this.authorization) {
      const headers = { 'WWW-Authenticate': 'Basic realm="x"', 'Content-Type': 'text/plain' };
      response.writeHead(401, headers).end(`You said ${String(given)}`);
      return;
    }
    const service = (url.searchParams.get('service') ??
      url.pathname.split('/').at(-1)) as PackServiceName;
    const protocol = request.headers['git-protocol']?.toString();
    if (url.pathname.endsWith('/info/refs')) {
      response.setHeader('Content-Type', `application/x-${service}-advertisement`);
      response.write(advertisementHeader(service, protocol));
      await this.repository.advertise({ service, protocol, output: response });
    } else {
      response.setHeader('Content-Type', `application/x-${service}-result`);
      // A client that has seen nothing of an answer sends its request again.
      response.flushHeaders();
      await this.exchange(service, protocol, request, response);
    }
    response.end();
  }

  private async exchange(
    service: PackServiceName,
    protocol: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const zipped = request.headers['content-encoding'] === 'gzip';
    const input = zipped ? request.pipe(createGunzip()) : request;
    const streams = { stateless: true, protocol, input, output: response };
    if (service === 'git-upload-pack') {
      const { exitCode, stderr } = await this.repository.uploadPack(streams);
      if (exitCode !== 0) this.errors.push(new Error(stderr));
    } else {
      await this.repository.receivePack({
        ...streams,
        gate: this.rules.gate ?? (async () => ({ accept: true })),
        settle: this.rules.settle ?? (async () => ({})),
      });
    }
  }
}
