import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { MetricsReport } from './metrics-report.js';
import { metricsTokenCheck } from './metrics-token.js';

interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  /** What requests have to send as a bearer token. */
  readonly token: string;
  readonly logger: Logger;
}

/** A server that runs. */
interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

const LIMIT_MS = 10_000;
const MAX_CONNECTIONS = 16;

/** Serves `GET /metrics` of a process that serves nothing else. */
export async function serveMetrics(
  report: MetricsReport,
  { host, port, token, logger }: MetricsServerOptions,
): Promise<MetricsServer> {
  const hasToken = metricsTokenCheck(token);
  const answer: RequestListener = (request, response) => {
    const isKnown = request.url?.split('?', 1)[0] === '/metrics' && request.method === 'GET';
    if (!isKnown) response.writeHead(404).end();
    else if (!hasToken(request)) response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
    else {
      report.render().then(
        (text) => response.writeHead(200, { 'Content-Type': report.contentType }).end(text),
        (error: unknown) => {
          logger.error({ err: error }, 'The figures could not be read');
          response.writeHead(500).end();
        },
      );
    }
  };
  const server = createServer({ headersTimeout: LIMIT_MS, requestTimeout: LIMIT_MS }, answer);
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
