import type { Server } from 'node:http';

const SECOND = 1000;
const HOUR = 3_600 * SECOND;

/**
 * Time limits of the server. A push may legitimately send for hours, so the whole request has a
 * generous limit; a silent connection, and one that is slow with its headers, have short ones. The
 * size of headers stays at Node's 16 KiB.
 */
export function limitServer(server: Server): void {
  server.headersTimeout = 60 * SECOND;
  server.requestTimeout = 6 * HOUR;
  server.keepAliveTimeout = 65 * SECOND;
  // Without any byte in either direction; Git's side band keeps a working transfer alive.
  server.setTimeout(600 * SECOND);
}
