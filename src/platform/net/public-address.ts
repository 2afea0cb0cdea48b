import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Public by their range, but answered by the machine or the network the service runs in. */
const METADATA = new Set(['168.63.129.16']);
/** All that IANA has given out for the IPv6 internet; the rest is special or nobody's. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address belongs to a machine somewhere in the internet. The special-purpose ranges of
 * IANA's registries do not (loopback, private, link-local, shared, documentation, multicast and the
 * like), nor does IPv6 outside 2000::/3. IPv6 addresses with an IPv4 address inside (mapped, NAT64, 6to4,
 * Teredo) are all refused: their own range does not say where they lead.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return false;
  return parsed.range() === 'unicast' && !METADATA.has(address);
}

/**
 * The IP address that a host of a URL spells, in its usual notation and without brackets: `0x7f.1`,
 * `2130706433` and full-width digits are `127.0.0.1`. Null for names.
 */
export function addressOf(host: string): string | null {
  const normal = normalHost(host);
  if (normal === null) return null;
  const address = normal.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? null : address;
}

/** A host as browsers understand it: lower case, ASCII, addresses in their usual notation; null for none. */
export function normalHost(host: string): string | null {
  const url = `http://${host}/`;
  if (/[\s@/\\?#:]/.test(host.replace(/^\[[0-9a-f:.]+\]$/i, '')) || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/\.$/, '');
}
