/** @alone */
import {
  defineJob,
  defineRecurringJob,
  exponentialBackoff,
  HandlesJob,
  JobCatalogue,
  RetryJobLaterError,
  UnrecoverableJobError,
} from '../../../src/platform/queue/index.js';
import { failureOf } from '../../../src/platform/queue/jobs/failures.js';
import { matchHandlers } from '../../../src/platform/queue/jobs/job-handler.js';
import { jobIdOf, parseJobId } from '../../../src/platform/queue/outbox/outbox.repository.js';
import { untilAborted } from '../../../src/platform/async/index.js';

describe('definitions of jobs', () => {
  it('are unique per queue and name, with names that suit the queue', () => {
    const catalogue = new JobCatalogue();
    defineJob('projects', 'purge', {}, catalogue);
    defineJob('groups', 'purge', {}, catalogue);
    expect(() => defineJob('projects', 'purge', {}, catalogue)).toThrow('projects/purge');
    expect(() => defineJob('projects', 'a:b', {}, catalogue)).toThrow('"a:b"');
    expect(catalogue.all().map(({ queue }) => queue)).toEqual(['projects', 'groups']);
  });

  it('must each have exactly one handler', () => {
    const catalogue = new JobCatalogue();
    const lonely = defineJob('projects', 'lonely', {}, catalogue);
    const crowded = defineRecurringJob({ queue: 'q', name: 'crowded', everyMs: 1 }, catalogue);
    const served = defineJob<{ id: number }>('projects', 'served', {}, catalogue);
    class Handler {
      handle(): Promise<void> {
        return Promise.resolve();
      }
    }
    @HandlesJob(crowded)
    class One extends Handler {}
    @HandlesJob(crowded)
    class Two extends Handler {}
    @HandlesJob(served)
    class Three extends Handler {}
    const providers = [new One(), new Two(), new Three(), undefined, 'value', {}];
    expect(() => matchHandlers(catalogue, providers)).toThrow(
      'Jobs are not wired up: projects/lonely has no handler, q/crowded has 2 handlers',
    );
    @HandlesJob(lonely)
    class Four extends Handler {}
    const handled = matchHandlers(catalogue, [new One(), new Three(), new Four()]);
    expect([...handled.keys()]).toEqual(['projects/lonely', 'q/crowded', 'projects/served']);
  });
});

describe('ids of jobs', () => {
  it('lead back to the row', () => {
    const reference = { id: '9223372036854775807', round: 12 };
    expect(parseJobId(jobIdOf(reference))).toEqual(reference);
  });

  it.each(['', 'outbox-', 'outbox-1', 'outbox--1-0', 'repeat:tick:1', 'outbox-1-0 '])(
    'are rejected as references: %j',
    (jobId) => expect(parseJobId(jobId)).toBeUndefined(),
  );
});

describe('the wait after a failure', () => {
  it('doubles up to a limit, plus or minus a fifth', () => {
    const backoff = exponentialBackoff(1_000, 5_000);
    for (const [failed, expected] of [
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
      [4, 5_000],
      [99, 5_000],
    ] as const) {
      expect(Math.abs(backoff(failed) - expected)).toBeLessThanOrEqual(expected / 5);
    }
  });

  const definition = defineJob(
    'q',
    'job',
    { attempts: 2, backoff: (n) => n * 7 },
    new JobCatalogue(),
  );

  it('follows the definition until the attempts are used up', () => {
    expect(failureOf(new Error('x'), definition, 0)).toEqual({ error: 'Error: x', delayMs: 7 });
    expect(failureOf('x', definition, 1)).toEqual({ error: 'x', delayMs: null });
  });

  it('follows the handler, if set', () => {
    expect(failureOf(new RetryJobLaterError('busy', 99), definition, 0).delayMs).toBe(99);
    expect(failureOf(new RetryJobLaterError('busy', 99), definition, 1).delayMs).toBeNull();
    expect(failureOf(new UnrecoverableJobError('gone'), definition, 0).delayMs).toBeNull();
  });
});

describe('work that can be aborted', () => {
  const never = (): Promise<void> => new Promise(() => undefined);

  it('ends normally', async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(), signal, 1)).resolves.toBeUndefined();
    await expect(untilAborted(Promise.reject(new Error('own')), signal, 1)).rejects.toThrow('own');
  });

  it('is abandoned when it ignores its signal', async () => {
    const controller = new AbortController();
    const ended = untilAborted(never(), controller.signal, 1);
    controller.abort(new Error('limit'));
    await expect(ended).rejects.toThrow('limit');
    await expect(untilAborted(never(), controller.signal, 1)).rejects.toThrow('limit');
  });

  it('fails with the reason of the abort, and succeeds if it ends in time', async () => {
    const controller = new AbortController();
    controller.abort(new Error('limit'));
    const failing = Promise.reject(new Error('interrupted'));
    await expect(untilAborted(failing, controller.signal, 1_000)).rejects.toThrow('limit');
    await expect(
      untilAborted(Promise.resolve(), controller.signal, 1_000),
    ).resolves.toBeUndefined();
  });
});
