import type { Request } from 'express';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Decides whose `X-Forwarded-For` is believed. */
type TrustsProxy = (address: string) => boolean;

/** @param proxies addresses and networks in CIDR notation */
export function trustedProxies(proxies: readonly string[]): TrustsProxy {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) > 0 && trusted.check(address, familyOf(address));
}

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

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
