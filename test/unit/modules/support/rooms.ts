import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { RoomDiscoveryModule } from '../../../../src/platform/discovery/index.js';

/** Makes a module with these providers, as a room has one. */
export function room(name: string, ...providers: Type[]): Type {
  @Module({ providers, exports: providers })
  class Room {}
  return Object.defineProperty(Room, 'name', { value: name });
}

/**
 * Starts an application of some rooms.
 * @param rooms from the top to the ground
 * @param further modules that are no rooms
 */
export async function startRooms(
  rooms: readonly Type[],
  ...further: Type[]
): Promise<INestApplicationContext> {
  const imports = [RoomDiscoveryModule.forRooms(rooms), ...rooms, ...further];
  return (await Test.createTestingModule({ imports }).compile()).init();
}
