import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

const PERMISSIONS = 0o777;
const OTHERS = 0o077;

/** Everything in a folder that other accounts have any right on. */
async function openToOthers(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const place = path.join(entry.parentPath, entry.name);
    if (((await stat(place)).mode & OTHERS) !== 0) found.push(path.relative(folder, place));
  }
  return found.sort();
}

describe('Files of the service on the disk', () => {
  let umask: number;
  let storage: string;

  beforeEach(async () => {
    umask = process.umask(0o022);
    storage = await mkdtemp(path.join(tmpdir(), 'trellis-storage-'));
  });
  afterEach(async () => {
    process.umask(umask);
    await rm(storage, { recursive: true, force: true });
  });

  it('are private to its account under every umask', async () => {
    const trellis = await Trellis.start({ because: 'settings at the start' });
    try {
      const owner = await trellis.factories.user();
      const projects = new PushedProjects(trellis, owner);
      const { project, work } = await projects.make();
      await work.commit('Another');
      expect((await work.push('HEAD:refs/heads/topic')).code).toBe(0);
      await trellis
        .as(owner)
        .call('post', `/projects/${String(project.id)}/uploads`)
        .attach('file', Buffer.from('text'), 'notes.txt')
        .expect(200);
      await projects.remove();
      expect(await openToOthers(trellis.dataDir)).toEqual([]);
    } finally {
      await trellis.stop();
    }
    expect(process.umask(0o022)).toBe(0o022);
  });

  it('are made private at the start if an older version left them open', async () => {
    const first = await Trellis.start({ because: 'settings at the start' });
    try {
      await chmod(first.dataDir, 0o755);
      for (const name of ['repositories', 'uploads', 'run']) {
        await chmod(path.join(first.dataDir, name), 0o755);
      }
      await writeFile(path.join(first.dataDir, 'notes'), '', { mode: 0o644 });
      await chmod(storage, 0o755);
      const second = await Trellis.start({
        because: 'settings at the start',
        beside: first,
        env: { REPOSITORY_STORAGES: `more=${storage}` },
      });
      await second.stop();
      const modes = await Promise.all(
        ['', 'repositories', 'uploads', 'run', 'notes'].map(async (name) => {
          const { mode } = await stat(path.join(first.dataDir, name));
          return (mode & PERMISSIONS).toString(8);
        }),
      );
      expect(modes).toEqual(['700', '700', '700', '700', '600']);
      expect((await stat(storage)).mode & PERMISSIONS).toBe(0o700);
    } finally {
      await first.stop();
    }
  });
});
