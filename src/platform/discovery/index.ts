export { byType } from './by-type.js';
export {
  type CallingOrder,
  type DiscoveredMethod,
  inCallingOrder,
  orderConflicts,
  RoomDiscovery,
} from './room-discovery.js';
export { RoomDiscoveryModule } from './room-discovery.module.js';
