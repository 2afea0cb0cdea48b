import { Deferred } from '../../../src/platform/async/index.js';
import { SharedReads } from '../../../src/platform/database/index.js';

/** Reads that are answered by hand, in the order in which they started. */
function byHand() {
  const started: { question: string; answer: Deferred<string> }[] = [];
  const reads = new SharedReads<string, string>({
    key: (question) => question,
    answer: (question) => {
      const answer = new Deferred<string>();
      started.push({ question, answer });
      return answer.promise;
    },
  });
  const questions = () => started.map(({ question }) => question);
  return { reads, started, questions };
}

const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

describe('shared reads', () => {
  it('answer equal questions of one turn once', async () => {
    const { reads, started, questions } = byHand();
    const asked = Promise.all([reads.ask('a'), reads.ask('a')]);
    await turn();
    expect(questions()).toEqual(['a']);
    started[0]?.answer.resolve('A');
    expect(await asked).toEqual(['A', 'A']);
  });

  it('delay no different question', async () => {
    const { reads, started, questions } = byHand();
    void reads.ask('slow');
    await turn();
    const asked = reads.ask('quick');
    await turn();
    expect(questions()).toEqual(['slow', 'quick']);
    started[1]?.answer.resolve('Quick');
    expect(await asked).toBe('Quick');
    started[0]?.answer.resolve('Slow');
  });

  it('never return results of a read that started before the question', async () => {
    const { reads, started, questions } = byHand();
    const first = reads.ask('a');
    await turn();
    const later = [reads.ask('a'), reads.ask('a')];
    started[0]?.answer.resolve('old');
    expect(await first).toBe('old');
    await turn();
    expect(questions()).toEqual(['a', 'a']);
    started[1]?.answer.resolve('new');
    expect(await Promise.all(later)).toEqual(['new', 'new']);
  });

  it('fail for all callers, and start again afterwards', async () => {
    const { reads, started } = byHand();
    const asked = Promise.allSettled([reads.ask('a'), reads.ask('a')]);
    await turn();
    started[0]?.answer.reject(new Error('broken'));
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = reads.ask('a');
    await turn();
    started[1]?.answer.resolve('A');
    expect(await again).toBe('A');
  });
});
