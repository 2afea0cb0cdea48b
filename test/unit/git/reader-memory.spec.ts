import { randomBytes } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  GitMemoryTakenError,
  type PackSlot,
  pktLine,
  type Repository,
  type WorkClient,
} from '../../../src/git/index.js';
import { until } from '../../support/until.js';
import { FreeSlot } from './support/free-slot.js';
import { git, importStream, Workshop } from './support/workshop.js';

const NEAR: WorkClient = { network: '127.0.0.1', userId: null };
const FAR: WorkClient = { network: '127.0.0.2', userId: null };
const REASON = 'The fetches of your address take too much memory.';
/** Of all processes together: each of them takes more. */
const BUDGET = 1_024;

describe('The memory of git reads for clients', () => {
  let workshop: Workshop;
  let made: Repository;
  let tip: string;
  const begun: { gone: AbortController; ended: Promise<unknown> }[] = [];

  beforeAll(async () => {
    workshop = await Workshop.open();
    const noise = randomBytes(6_000_000).toString('base64');
    made = await workshop.repository(importStream([{ files: { noise } }]));
    tip = (await made.resolveCommit('master')) ?? '';
  });
  afterEach(async () => {
    for (const { gone } of begun) gone.abort();
    await Promise.all(begun.splice(0).map(({ ended }) => ended));
  });
  afterAll(() => workshop.close());

  /** Opens the repository with a small budget, for clients of two addresses. */
  async function open(readerMemoryBytes: number): Promise<{ near: Repository; far: Repository }> {
    const room = await workshop.anotherRoom({ readerMemoryBytes });
    const repositoryFor = (client: WorkClient): Repository =>
      room.repository(made.path, { client });
    return { near: repositoryFor(NEAR), far: repositoryFor(FAR) };
  }

  /** Begins a clone whose client reads nothing until it is asked to. */
  function beginClone(repository: Repository, slot?: PackSlot) {
    const input = new PassThrough();
    const output = new PassThrough();
    const want = pktLine(`want ${tip} side-band-64k\n`);
    input.end(Buffer.concat([want, Buffer.from('0000'), pktLine('done\n')]));
    const gone = new AbortController();
    const ended = repository.uploadPack({
      ...{ input, output, slot, stateless: true, signal: gone.signal },
    });
    const hasBegun = () => until(() => Promise.resolve(output.readableLength > 0));
    begun.push({ gone, ended });
    return { output, ended, hasBegun, gone };
  }

  it('stops a process of an address above the limit, and reports why', async () => {
    const { near, far } = await open(BUDGET);
    const alone = beginClone(far);
    await alone.hasBegun();
    const crowd = [beginClone(near), beginClone(near)];
    const stopped = await Promise.race(
      crowd.map(async ({ ended }, index) => ({ index, result: await ended })),
    );
    expect(stopped.result).toMatchObject({
      exitCode: 128,
      stderr: expect.stringContaining(REASON),
    });
    const [cut, kept] = stopped.index === 0 ? crowd : crowd.toReversed();
    cut?.output.end();
    expect((await buffer(cut?.output ?? new PassThrough())).toString('latin1')).toContain(REASON);
    for (const each of [alone, kept]) {
      each?.output.resume();
      expect(await each?.ended).toMatchObject({ exitCode: 0 });
    }
  });

  it('stops a download that exceeds the limit with others of its address', async () => {
    const { near } = await open(BUDGET);
    const oid = await git(['rev-parse', `${tip}:noise`], { cwd: made.path });
    const read = async (): Promise<number> => {
      const file = await near.file(oid);
      return (await buffer(file?.content as Readable)).length;
    };
    const held = await near.file(oid);
    const results = await Promise.allSettled([read(), read()]);
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    expect(reasons).toContainEqual(expect.any(GitMemoryTakenError));
    (held?.content as Readable).destroy();
  });

  it('is granted to running fetches of an address before further ones', async () => {
    const { near, far } = await open(BUDGET);
    const held = beginClone(near);
    await held.hasBegun();
    const waiting = beginClone(near, new FreeSlot());
    const other = beginClone(far, new FreeSlot());
    other.output.resume();
    expect(await other.ended).toMatchObject({ exitCode: 0 });
    expect(waiting.output.readableLength).toBe(0);
    held.gone.abort();
    await held.ended;
    waiting.output.resume();
    expect(await waiting.ended).toMatchObject({ exitCode: 0 });
  });
});
