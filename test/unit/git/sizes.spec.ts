import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderSize, NewObjects, type Repository } from '../../../src/git/index.js';
import { line, Workshop } from './support/workshop.js';

describe('the size of a repository', () => {
  let workshop: Workshop;
  let repository: Repository;

  beforeAll(async () => {
    workshop = await Workshop.open();
    repository = await workshop.repository(line(5));
  });
  afterAll(() => workshop.close());

  function someObjects(text: string): NewObjects {
    const objects = new NewObjects();
    objects.blob(Buffer.from(text));
    return objects;
  }

  it('is the sum of all its files', async () => {
    const before = await repository.size();
    await mkdir(join(repository.path, 'refs', 'heads', 'incoming-x'), { recursive: true });
    await writeFile(join(repository.path, 'refs', 'heads', 'incoming-x', 'note'), 'x'.repeat(100));
    expect(await repository.size()).toBe(before + 100);
    expect(await folderSize(repository.path)).toBe(before + 100);
  });

  it('excludes quarantined objects', async () => {
    const before = await repository.size();
    for (const name of ['tmp_objdir-incoming-abc', 'incoming-def']) {
      await mkdir(join(repository.path, 'objects', name, 'pack'), { recursive: true });
      await writeFile(join(repository.path, 'objects', name, 'pack', 'p.pack'), 'x'.repeat(100));
    }
    expect(await repository.size()).toBe(before);
    expect(await folderSize(repository.path)).toBe(before + 200);
  });

  it('grows by the requested bytes when objects are stored', async () => {
    const before = await repository.size();
    let asked = 0;
    await repository.store(someObjects('one'), (bytes, store) => {
      asked = bytes;
      return store();
    });
    expect(asked).toBeGreaterThan(0);
    expect(await repository.size()).toBe(before + asked);
  });

  it('is unchanged when a write is refused', async () => {
    const before = await repository.size();
    const refuse = () => Promise.reject(new Error('No room'));
    await expect(repository.store(someObjects('two'), refuse)).rejects.toThrow('No room');
    expect(await repository.size()).toBe(before);
  });

  it('is zero for a missing folder', async () => {
    expect(await folderSize(join(repository.path, 'nowhere'))).toBe(0);
  });
});
