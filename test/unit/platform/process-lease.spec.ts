import {
  type ProcessesRepository,
  ProcessIdentity,
  ProcessLease,
} from '../../../src/platform/cluster/index.js';
import type { Config } from '../../../src/platform/config/index.js';
import { until } from '../../support/until.js';

const LEASE_MS = 900;
const RENEWED = { epoch: 1, hasPeers: true, hasSilent: true, gapMs: 0 };

describe('The lease of a process', () => {
  const renewals: number[] = [];
  const renew = jest.fn<Promise<typeof RENEWED>, []>();
  const fenceSilent = jest.fn(() => Promise.resolve([]));
  const repository = {
    renew: () => {
      renewals.push(performance.now());
      return renew();
    },
    fenceSilent,
    endSessionsOfFenced: () => Promise.resolve(),
    remove: () => Promise.resolve(),
  };
  const config = { processLeaseMs: LEASE_MS } as Config;
  const report = () => ({}) as Parameters<ProcessesRepository['renew']>[0];
  let lease: ProcessLease;

  beforeEach(() => {
    renewals.length = 0;
    fenceSilent.mockClear();
    renew.mockReset().mockResolvedValue(RENEWED);
    lease = new ProcessLease(
      new ProcessIdentity(),
      repository as unknown as ProcessesRepository,
      config,
    );
  });
  afterEach(() => lease.stop());

  it('is renewed again soon after a slow and failed renewal', async () => {
    let countWhenDue: number | undefined;
    const fail = () =>
      new Promise<never>((_resolve, reject) => {
        setTimeout(() => {
          reject(new Error('no answer'));
          // When the next one would come without a failure; timers are due in their order, however late.
          setTimeout(() => (countWhenDue = renewals.length), LEASE_MS / 3);
        }, LEASE_MS / 3);
      });
    renew
      .mockResolvedValueOnce(RENEWED)
      .mockResolvedValueOnce(RENEWED)
      .mockImplementationOnce(fail);
    await lease.start(report);
    await until(() => Promise.resolve(countWhenDue !== undefined));
    expect(countWhenDue).toBe(4);
  });

  it('fences no process until the others could renew theirs', async () => {
    await lease.start(report, 20);
    await until(() => Promise.resolve(fenceSilent.mock.calls.length > 0));
    const begun = performance.now();
    const before = renewals.length;
    renew.mockResolvedValueOnce({ ...RENEWED, gapMs: LEASE_MS * 0.8 });
    // One may be under way, and the next one finds the gap.
    await until(() => Promise.resolve(renewals.length > before + 2));
    const fencedAt = new Promise<number>((resolve) => {
      fenceSilent.mockImplementationOnce(() => {
        resolve(performance.now());
        return Promise.resolve([]);
      });
    });
    expect((await fencedAt) - begun).toBeGreaterThanOrEqual(LEASE_MS);
  });

  it('is not queried by each push that waits for a takeover', async () => {
    await lease.start(report, 20);
    await until(() => Promise.resolve(fenceSilent.mock.calls.length > 0));
    fenceSilent.mockClear();
    await Promise.all(Array.from({ length: 50 }, () => lease.fenceSilent()));
    expect(fenceSilent.mock.calls.length).toBeLessThan(3);
  });
});
