import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentWorkKind, runAs, setUsualWorkKind } from '../../../src/platform/async/index.js';

describe('the kind of work', () => {
  it('is interactive unless it is run as another', async () => {
    expect(currentWorkKind()).toBe('interactive');
    await runAs('push', () => Promise.resolve());
    expect(currentWorkKind()).toBe('interactive');
  });

  it('stays with a chain of calls, whatever runs beside it', async () => {
    const seen: string[] = [];
    const look = async (name: string): Promise<void> => {
      for (let step = 0; step < 3; step += 1) {
        seen.push(`${name} ${currentWorkKind()}`);
        await nextTurn();
      }
    };
    await Promise.all([
      look('read'),
      runAs('push', () => look('push')),
      runAs('background', async () => {
        await look('job');
        await runAs('push', () => look('push of a job'));
        await look('job');
      }),
    ]);
    expect(new Set(seen)).toEqual(
      new Set(['read interactive', 'push push', 'job background', 'push of a job push']),
    );
  });

  it('is the usual one of the process unless it is run as another', async () => {
    setUsualWorkKind('background');
    try {
      expect(currentWorkKind()).toBe('background');
      await runAs('background', async () => {
        await nextTurn();
        await runAs('interactive', async () => {
          await nextTurn();
          expect(currentWorkKind()).toBe('interactive');
        });
        expect(currentWorkKind()).toBe('background');
      });
    } finally {
      setUsualWorkKind('interactive');
    }
  });

  it('ends with work that fails', async () => {
    const failing = runAs('background', async () => {
      await nextTurn();
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    expect(currentWorkKind()).toBe('interactive');
  });
});
