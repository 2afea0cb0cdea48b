import { DomainEvents } from '../../../src/modules/activity/index.js';

class Happened {
  constructor(readonly what: string) {}
}

class Unheard {
  readonly heard = false;
}

describe('domain events', () => {
  it('reach the subscribers of their class, one after the other', async () => {
    const events = new DomainEvents();
    const heard: string[] = [];
    events.subscribe(Happened, async ({ what }) => {
      await Promise.resolve();
      heard.push(`first ${what}`);
    });
    events.subscribe(Happened, ({ what }) => {
      heard.push(`second ${what}`);
      return Promise.resolve();
    });
    await events.publish(new Unheard());
    await events.publish(new Happened('a'));
    expect(heard).toEqual(['first a', 'second a']);
  });

  it('fail with their subscriber, so that the unit of work rolls back', async () => {
    const events = new DomainEvents();
    events.subscribe(Happened, () => Promise.reject(new Error('no')));
    await expect(events.publish(new Happened('a'))).rejects.toThrow('no');
  });
});
