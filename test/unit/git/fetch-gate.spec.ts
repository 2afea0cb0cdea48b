import { setImmediate } from 'node:timers/promises';
import { FLUSH_PACKET, pktLine } from '../../../src/git/index.js';
import { fetchGate } from '../../../src/git/wire/fetch-gate.js';
import { FreeSlot } from './support/free-slot.js';

const packets = (...parts: (Buffer | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

const WANT = `want ${'1'.repeat(40)}`;

/** The requests of version 2 that tests make. */
const REQUEST = {
  listing: packets(pktLine('command=ls-refs\n'), FLUSH_PACKET),
  fetching: packets(pktLine('command=fetch\n'), '0001', pktLine(WANT), FLUSH_PACKET),
};
/** What git begins with. */
const CAPABILITIES = packets(pktLine('version 2\n'), FLUSH_PACKET);
const REFS = packets(pktLine(`${'1'.repeat(40)} refs/heads/master\n`), FLUSH_PACKET);

describe('the gate of a fetch', () => {
  function open(protocol: string | null) {
    const slot = new FreeSlot();
    const gate = fetchGate(slot, protocol);
    let passed = '';
    gate.on('data', (chunk: Buffer) => (passed += chunk.toString('latin1')));
    /** Returns what has been passed on since the last time. */
    const takePassed = async (): Promise<string> => {
      await setImmediate();
      const text = passed;
      passed = '';
      return text;
    };
    const answer = (bytes: Buffer): void => {
      gate.onOutput(bytes);
      gate.onDelivered();
    };
    return { slot, gate, takePassed, answer };
  }

  it('passes requests of version 2 one by one, with the responses of git', async () => {
    const { slot, gate, takePassed, answer } = open('version=2');
    const { listing, fetching } = REQUEST;
    const withoutEnd = fetching.toString().slice(0, -4);
    gate.write(packets(listing, fetching, fetching));
    // Flush packets may be cut anywhere, and packets may contain what looks like them.
    answer(CAPABILITIES.subarray(0, -2));
    expect(await takePassed()).toBe('0014command=ls-refs\n');
    answer(CAPABILITIES.subarray(-2));
    expect(await takePassed()).toBe(`0000${withoutEnd}`);
    answer(pktLine('0000 refs/heads/0000'));
    expect(await takePassed()).toBe('');
    expect(slot.taken).toBe(0);
    answer(FLUSH_PACKET);
    expect(await takePassed()).toBe(`0000${withoutEnd}`);
    expect(slot).toMatchObject({ taken: 1, isTaken: true });
    answer(packets(pktLine('NAK\n'), FLUSH_PACKET));
    expect(await takePassed()).toBe('0000');
    expect(slot).toMatchObject({ taken: 2, isTaken: true });
  });

  it('takes the slot when the client has read the output of git', async () => {
    const { slot, gate, takePassed, answer } = open('version=2');
    answer(CAPABILITIES);
    gate.write(REQUEST.listing);
    expect(await takePassed()).toBe(REQUEST.listing.toString());
    gate.onOutput(REFS);
    gate.write(REQUEST.fetching);
    await takePassed();
    expect(slot.taken).toBe(0);
    gate.onDelivered();
    expect(await takePassed()).toBe('0000');
    expect(slot.taken).toBe(1);
  });

  it('releases the slot when git has sent more that the client has not read', async () => {
    const { slot, gate, takePassed, answer } = open(null);
    answer(REFS);
    slot.whileTaken = () => gate.onOutput(pktLine(`ACK ${'1'.repeat(40)} common\n`));
    gate.write(packets(pktLine(WANT), FLUSH_PACKET, pktLine('done\n')));
    expect(await takePassed()).not.toContain('done');
    expect(slot).toMatchObject({ taken: 1, isTaken: false });
    slot.whileTaken = undefined;
    gate.onDelivered();
    expect(await takePassed()).toBe('0009done\n');
    expect(slot).toMatchObject({ taken: 2, isTaken: true });
  });

  it('takes one slot in version 0, after the negotiation ends', async () => {
    const { slot, gate, takePassed, answer } = open(null);
    answer(REFS);
    const wanted = packets(pktLine(`${WANT} no-done agent=a\n`), FLUSH_PACKET);
    gate.write(wanted);
    expect(await takePassed()).toBe(wanted.toString().replace('no-done', '       '));
    expect(slot.taken).toBe(0);
    gate.write(packets(pktLine('done\n'), pktLine('done\n')));
    expect(await takePassed()).toBe('0009done\n0009done\n');
    expect(slot.taken).toBe(1);
    // Clients without side-band get the pack as it is.
    answer(Buffer.from('0008NAK\nPACK and no packet'));
    expect(slot.isTaken).toBe(true);
  });

  it('holds a slot in version 0 while git computes the shallow boundary', async () => {
    const { slot, gate, takePassed, answer } = open(null);
    answer(REFS);
    gate.write(packets(pktLine(WANT), pktLine('deepen-since 1700000000'), FLUSH_PACKET));
    expect(await takePassed()).toMatch(/0000$/);
    expect(slot).toMatchObject({ taken: 1, isTaken: true });
    gate.write(pktLine('done\n'));
    expect(await takePassed()).toBe('');
    answer(packets(pktLine(`shallow ${'1'.repeat(40)}`), FLUSH_PACKET));
    expect(await takePassed()).toBe('0009done\n');
    expect(slot).toMatchObject({ taken: 2, isTaken: true });
  });

  it('recognizes the other ends of a list of wants', async () => {
    const { slot, gate, takePassed, answer } = open(null);
    answer(REFS);
    gate.write(packets(pktLine(WANT), pktLine('deepen 1'), '0001'));
    expect(await takePassed()).toMatch(/0001$/);
    expect(slot.taken).toBe(1);
    answer(packets(pktLine(`shallow ${'1'.repeat(40)}`), FLUSH_PACKET));
    gate.write(packets(FLUSH_PACKET));
    expect(await takePassed()).toBe('0000');
    expect(slot).toMatchObject({ taken: 1, isTaken: false });
    answer(pktLine('NAK\n'));
    gate.write(pktLine('done\n'));
    expect(await takePassed()).toBe('0009done\n');
    expect(slot.taken).toBe(2);
  });

  it.each([
    [
      'a fetch of version 2 with a NUL',
      'version=2',
      [pktLine('command=fetch\0'), '0001', pktLine(WANT)],
    ],
    [
      'a fetch of version 2 with a NUL in its argument',
      'version=2',
      [pktLine('command=fetch'), '0001', pktLine('wait-for-done\0')],
    ],
  ])('recognizes %s', async (_, protocol, request) => {
    const { slot, gate, takePassed, answer } = open(protocol);
    answer(CAPABILITIES);
    gate.write(packets(...request, FLUSH_PACKET));
    await takePassed();
    expect(slot.taken).toBe(1);
  });

  it('recognizes `done` with a NUL', async () => {
    const { slot, gate, takePassed, answer } = open(null);
    answer(REFS);
    gate.write(packets(pktLine(WANT), FLUSH_PACKET, pktLine('done\0and more')));
    await takePassed();
    expect(slot.taken).toBe(1);
  });

  it('does not treat an argument as a command', async () => {
    const { slot, gate, takePassed, answer } = open('version=2');
    answer(CAPABILITIES);
    const inspecting = [pktLine('command=object-info'), '0001', pktLine('command=fetch')];
    gate.write(packets(...inspecting, FLUSH_PACKET, REQUEST.fetching));
    const withoutEnd = REQUEST.fetching.toString().slice(0, -4);
    expect(await takePassed()).toBe(packets(...inspecting, FLUSH_PACKET, withoutEnd).toString());
    expect(slot.taken).toBe(0);
    answer(packets(pktLine('ERR no such object'), FLUSH_PACKET));
    expect(await takePassed()).toBe('0000');
    expect(slot).toMatchObject({ taken: 1, isTaken: true });
  });
});
