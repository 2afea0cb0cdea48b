import { Injectable, type Type } from '@nestjs/common';
import { ProvidesEventTargets } from '../../../src/modules/feeds/index.js';
import { IssuableKinds, ProvidesIssuableKind } from '../../../src/modules/issuables/index.js';
import { EventTargets } from '../../../src/modules/feeds/event-targets.js';
import { room, startRooms } from './support/rooms.js';

function kind(): Type {
  @Injectable()
  @ProvidesIssuableKind()
  class Kind {
    readonly type = 'Issue';
  }
  return Kind;
}

function targets(): Type {
  @Injectable()
  @ProvidesEventTargets()
  class Targets {
    readonly targetSources = [{ type: 'Issue', shownAs: 'Issue' }];
  }
  return Targets;
}

describe('what rooms provide to lower ones', () => {
  it('fails the start of a process when two are of one issuable kind', async () => {
    const rooms = [room('UpperModule', kind(), kind()), room('GroundModule', IssuableKinds)];
    await expect(startRooms(rooms)).rejects.toThrow('Two providers are of one issuable kind');
    const app = await startRooms([room('UpperModule', kind()), ...rooms.slice(1)]);
    expect(app.get(IssuableKinds).all.map(({ type }) => type)).toEqual(['Issue']);
    await app.close();
  });

  it('fails the start of a process when two event targets are of one type', async () => {
    const rooms = [room('UpperModule', targets(), targets()), room('GroundModule', EventTargets)];
    await expect(startRooms(rooms)).rejects.toThrow('Two event targets have the same type');
  });
});
