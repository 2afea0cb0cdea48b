import { type DiskReport, DiskProbe } from '../../../src/platform/monitoring/index.js';
import { Deferred } from '../../../src/platform/async/index.js';

const REPORT: DiskReport = { freeBytes: 1, totalBytes: 2, freeFiles: null, totalFiles: null };

/** File systems of which some hang. */
class HangingProbe extends DiskProbe {
  readonly asked: string[] = [];
  readonly answers = new Map<string, Deferred<DiskReport>>();

  protected override look(folder: string): Promise<DiskReport> {
    this.asked.push(folder);
    if (!folder.startsWith('/hung')) return Promise.resolve(REPORT);
    const answer = new Deferred<DiskReport>();
    this.answers.set(folder, answer);
    return answer.promise;
  }
}

describe('The free space of file systems', () => {
  it('is reported, or null for a missing folder', async () => {
    const [room, missing] = await new DiskProbe().probe([process.cwd(), '/no/such/folder']);
    expect(room).toMatchObject({ totalBytes: expect.any(Number) as number });
    expect(missing).toBe('unavailable');
  });

  it('has a time limit, and other file systems are still measured', async () => {
    const probe = new HangingProbe();
    expect(await probe.probe(['/hung', '/fine'], 20)).toEqual(['slow', REPORT]);
    probe.answers.get('/hung')?.resolve(REPORT);
  });

  it('is not measured again before the previous result', async () => {
    const probe = new HangingProbe();
    await probe.probe(['/hung'], 5);
    await probe.probe(['/hung'], 5);
    expect(probe.asked).toEqual(['/hung']);
    probe.answers.get('/hung')?.resolve(REPORT);
    await probe.probe(['/hung'], 5);
    await probe.probe(['/hung'], 5);
    expect(probe.asked).toEqual(['/hung', '/hung']);
  });

  it('takes at most two threads, also when many file systems hang', async () => {
    const probe = new HangingProbe();
    const folders = ['/hung/1', '/hung/2', '/hung/3', '/fine'];
    expect(await probe.probe(folders, 5)).toEqual(['slow', 'slow', 'slow', 'slow']);
    expect(probe.asked).toEqual(['/hung/1', '/hung/2']);
  });
});
