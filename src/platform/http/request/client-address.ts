import type { Request } from 'express';
import { isIP } from 'node:net';

/**
 * The address of a request's client: of the connection, or the last hop of `X-Forwarded-For` that is no
 * trusted proxy where the connection is one's. Everything that limits or logs by address uses it.
 * @returns an IP address; empty when the connection is closed already
 */
export function clientAddress(request: Request): string {
  const { ip } = request;
  // What a trusted proxy forwards may still be no address: `unknown`, or one with a port.
  if (ip !== undefined && isIP(ip) > 0) return ip;
  return request.socket.remoteAddress ?? '';
}
