export { type CallingOrder, inCallingOrder, orderConflicts } from './calling-order.js';
export { type DiscoveredMethod, RoomDiscovery } from './room-discovery.js';
export { RoomDiscoveryModule } from './room-discovery.module.js';
