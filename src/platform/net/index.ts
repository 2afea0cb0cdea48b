export { HostRefusedError, HostUnknownError } from './errors.js';
export { OutboundHosts, type PinnedHost } from './outbound-hosts.js';
export { addressOf, isPublicAddress, normalHost } from './public-address.js';
export { userAgent } from './user-agent.js';
