import { TransportSlots } from '../../../src/modules/git-access/transport-slots.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { ClientDisconnectedError } from '../../../src/platform/errors/index.js';
import { GIT_CONVERSATIONS, SlotsTakenError } from '../../../src/platform/limits/index.js';

const CONFIG = loadConfig({});
const CALLER = { address: '127.0.0.1', userId: 1 };
const connected = (): AbortSignal => new AbortController().signal;

/** Holds all slots of one user until the returned function is called. */
function holdAll(slots: TransportSlots): () => Promise<unknown> {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const held = Array.from({ length: GIT_CONVERSATIONS.perUser }, () =>
    slots.hold(CALLER, connected(), () => ended),
  );
  return () => {
    end();
    return Promise.all(held);
  };
}

describe('TransportSlots', () => {
  it('reports a client that disconnects during the wait with a separate error', async () => {
    const slots = new TransportSlots(CONFIG);
    const releaseAll = holdAll(slots);
    const client = new AbortController();
    let ran = false;
    const waiting = slots.hold(CALLER, client.signal, () => {
      ran = true;
      return Promise.resolve();
    });
    client.abort();
    await expect(waiting).rejects.toThrow(ClientDisconnectedError);
    await releaseAll();
    expect(ran).toBe(false);
    await expect(slots.hold(CALLER, client.signal, () => Promise.resolve(1))).rejects.toThrow(
      ClientDisconnectedError,
    );
    await expect(slots.hold(CALLER, connected(), () => Promise.resolve(1))).resolves.toBe(1);
  });

  it('passes on errors of the work', async () => {
    const slots = new TransportSlots(CONFIG);
    const failing = slots.hold(CALLER, connected(), () =>
      Promise.reject(new SlotsTakenError(true, 1)),
    );
    await expect(failing).rejects.toThrow(SlotsTakenError);
    const failed = slots.hold(CALLER, connected(), () => Promise.reject(new Error('git failed')));
    await expect(failed).rejects.toThrow('git failed');
  });
});
