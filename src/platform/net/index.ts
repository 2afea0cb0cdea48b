export { inNetworks } from './networks.js';
export {
  HostRefusedError,
  HostUnknownError,
  OutboundHosts,
  type PinnedHost,
} from './outbound-hosts.js';
export { addressOf, isPublicAddress, normalHost } from './public-address.js';
