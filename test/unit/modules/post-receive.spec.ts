import { Injectable, type Type } from '@nestjs/common';
import { OnPostReceive, type ReceivedPush } from '../../../src/modules/repository/index.js';
import { PostReceive } from '../../../src/modules/repository/pushes/post-receive.js';
import { room, startRooms } from './support/rooms.js';

const GROUND = room('GroundModule', PostReceive);

function step(message: string, order?: Parameters<typeof OnPostReceive>[0]): Type {
  @Injectable()
  class Step {
    @OnPostReceive(order)
    say(): Promise<string[]> {
      return Promise.resolve([message]);
    }
  }
  return Step;
}

@Injectable()
class FailingStep {
  @OnPostReceive({ order: -1 })
  fail(): Promise<undefined> {
    return Promise.reject(new Error('no'));
  }
}

async function run(...rooms: Type[]): Promise<string[]> {
  const app = await startRooms([...rooms, GROUND]);
  const messages = await app.get(PostReceive).runSteps({} as ReceivedPush);
  await app.close();
  return messages;
}

describe('the steps between the record of a push and its answer', () => {
  it('run by their order, then from the lowest module up, despite errors of others', async () => {
    const messages = await run(
      room('UpperModule', FailingStep, step('second'), step('third', { order: 1 })),
      room('LowerModule', step('first')),
    );
    expect(messages).toEqual(['first', 'second', 'third']);
  });

  it('fail the start of a process with undetermined order in one module', async () => {
    await expect(run(room('UpperModule', step('one'), step('other')))).rejects.toThrow(
      'Post-receive steps are not wired up: Step.say and Step.say of UpperModule need an order',
    );
  });
});
