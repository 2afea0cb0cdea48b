import { Batches, Deferred } from '../../../src/platform/async/index.js';

/** Batches that are answered by hand, in the order in which they started. */
function byHand() {
  const started: { questions: readonly string[]; answers: Deferred<readonly string[]> }[] = [];
  const batches = new Batches<string, string>({
    key: (question) => question,
    answer: (questions) => {
      const answers = new Deferred<readonly string[]>();
      started.push({ questions, answers });
      return answers.promise;
    },
  });
  return { batches, started };
}

const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
const echo = (questions: readonly string[]) => questions.map((question) => `${question}!`);

describe('batches', () => {
  it('combine the questions of one turn, and equal questions', async () => {
    const { batches, started } = byHand();
    const asked = Promise.all(['a', 'b', 'a'].map((question) => batches.ask(question)));
    await turn();
    expect(started.map(({ questions }) => questions)).toEqual([['a', 'b']]);
    started[0]?.answers.resolve(['A', 'B']);
    expect(await asked).toEqual(['A', 'B', 'A']);
  });

  it('never return results of a batch that started before the question', async () => {
    const { batches, started } = byHand();
    const first = batches.ask('a');
    await turn();
    const second = batches.ask('a');
    const third = batches.ask('b');
    started[0]?.answers.resolve(['old']);
    expect(await first).toBe('old');
    await turn();
    expect(started[1]?.questions).toEqual(['a', 'b']);
    started[1]?.answers.resolve(['new', 'other']);
    expect(await Promise.all([second, third])).toEqual(['new', 'other']);
  });

  it('delay questions until the current batch ends, but not for one that hangs', async () => {
    const { batches, started } = byHand();
    const first = batches.ask('a');
    await turn();
    const second = batches.ask('b');
    await turn();
    expect(started).toHaveLength(1);
    while (started.length < 2) await turn();
    started[1]?.answers.resolve(['B']);
    expect(await second).toBe('B');
    started[0]?.answers.resolve(['A']);
    expect(await first).toBe('A');
  });

  it('report a failure to each caller of the batch, and continue', async () => {
    const { batches, started } = byHand();
    const asked = Promise.allSettled([batches.ask('a'), batches.ask('b')]);
    await turn();
    started[0]?.answers.reject(new Error('lost'));
    expect(await asked).toEqual(
      Array.from({ length: 2 }, () => ({ status: 'rejected', reason: new Error('lost') })),
    );
    const next = batches.ask('c');
    await turn();
    started[1]?.answers.resolve(['C']);
    expect(await next).toBe('C');
  });

  it('report a synchronous failure, and a wrong number of results', async () => {
    const thrown = new Batches<string, string>({
      key: (question) => question,
      answer: () => {
        throw new Error('at once');
      },
    });
    await expect(thrown.ask('a')).rejects.toThrow('at once');
    const short = new Batches<string, string>({
      key: (question) => question,
      answer: () => Promise.resolve([]),
    });
    await expect(short.ask('a')).rejects.toThrow('not answered in full');
  });

  it('answer many questions during others', async () => {
    let statements = 0;
    const batches = new Batches<string, string>({
      key: (question) => question,
      answer: async (questions) => {
        statements += 1;
        await turn();
        return echo(questions);
      },
    });
    const asked = Array.from({ length: 100 }, (_, index) => String(index));
    const answers = asked.map(async (question) => {
      if (Number(question) % 2 === 0) await turn();
      return batches.ask(question);
    });
    expect(await Promise.all(answers)).toEqual(echo(asked));
    expect(statements).toBe(2);
  });
});
