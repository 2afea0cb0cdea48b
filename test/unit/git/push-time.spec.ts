import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ImportTooLargeError, type Repository, ZERO_OID } from '../../../src/git/index.js';
import { NO_OBSERVER } from '../../../src/git/process/observer.js';
import { packOfVersions, type RawPack } from '../../support/raw-pack.js';
import { HttpHost } from './support/http-host.js';
import { push, pushBody } from './support/raw-push.js';
import { git, Workshop } from './support/workshop.js';

/** A pack of some kilobytes, of which git hashes 1 GiB: longer than two looks at its time, however fast the machine is. */
const VERSIONS = 128;
const SHORT_MS = 20;
const REASON = 'The objects of the push take too much processor time. Push the history in parts.';

describe('the processor time of git', () => {
  let workshop: Workshop;
  let made: RawPack;

  beforeAll(async () => {
    workshop = await Workshop.open();
    made = packOfVersions(VERSIONS);
  });
  afterAll(() => workshop.close());

  async function pushMade(repository: Repository, refs: string[]) {
    const updates = refs.map((ref) => ({ ref, oldOid: ZERO_OID, newOid: made.oid }));
    const gate = jest.fn(async () => ({ accept: true }) as const);
    const settle = async () => ({});
    const body = pushBody(updates, 'report-status', made.pack);
    const { output } = await push(repository, body, { gate, settle });
    return { report: output.toString(), wasDecided: gate.mock.calls.length > 0 };
  }

  it('is limited for a push, without leftover files', async () => {
    const exceeded: string[] = [];
    const observer = { ...NO_OBSERVER, exceeded: (budget: string) => exceeded.push(budget) };
    const room = await workshop.anotherRoom({ pushTimeMs: SHORT_MS, observer });
    const repository = room.repository((await workshop.emptyRepository()).path);
    const refs = ['refs/heads/master', 'refs/heads/other'];
    const { report, wasDecided } = await pushMade(repository, refs);
    for (const ref of refs) expect(report).toContain(`ng ${ref} ${REASON}`);
    expect({ wasDecided, exceeded }).toEqual({ wasDecided: false, exceeded: ['push_time'] });
    expect(await git(['for-each-ref'], { cwd: repository.path })).toBe('');
    expect((await readdir(join(repository.path, 'objects'))).toSorted()).toEqual(['info', 'pack']);
    expect(await readdir(join(repository.path, 'objects', 'pack'))).toEqual([]);
  });

  it('is limited for an import, without leftover files', async () => {
    const source = await workshop.emptyRepository();
    const { report } = await pushMade(source, ['refs/heads/master']);
    expect(report).toContain('ok refs/heads/master');
    const host = await HttpHost.open(source);
    const room = await workshop.anotherRoom({ pushTimeMs: SHORT_MS });
    const target = room.repository((await workshop.emptyRepository()).path);
    const remote = { address: host.url, pinned: ['127.0.0.1'] };
    const fetching = target.fetchFrom(remote, {});
    await expect(fetching).rejects.toThrow(ImportTooLargeError);
    await expect(fetching).rejects.toThrow('too much processor time');
    await host.close();
    const names = await readdir(dirname(target.path));
    expect(names.filter((name) => name.includes('.creating-'))).toEqual([]);
  });
});
