import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { RoomDiscovery } from './room-discovery.js';

/** Lets every room find what others have decorated. */
@Module({})
export class RoomDiscoveryModule {
  /** @param rooms the modules of the rooms, from the top to the ground */
  static forRooms(rooms: readonly Type[]): DynamicModule {
    return {
      module: RoomDiscoveryModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [
        {
          provide: RoomDiscovery,
          inject: [DiscoveryService],
          useFactory: (discovery: DiscoveryService) => new RoomDiscovery(discovery, rooms),
        },
      ],
      exports: [RoomDiscovery],
    };
  }
}
