import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/platform/config/index.js';
import { loadSecretKey } from '../../../src/platform/secrets/index.js';

describe('the secret key', () => {
  let folder: string;
  const fromFile = (name: string) => loadConfig({ DATA_DIR: join(folder, name) });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trellis-key-'));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('is created once for concurrent starts, and readable by its owner only', async () => {
    const keys = await Promise.all(
      Array.from({ length: 50 }, () => loadSecretKey(fromFile('race'))),
    );
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
    expect(keys[0]).toHaveLength(32);
    expect(await loadSecretKey(fromFile('race'))).toEqual(keys[0]);
    expect(await readdir(join(folder, 'race'))).toEqual(['secret.key']);
    const { mode } = await stat(join(folder, 'race', 'secret.key'));
    expect(mode & 0o777).toBe(0o600);
  });

  it('differs between data folders', async () => {
    const [one, two] = await Promise.all([
      loadSecretKey(fromFile('one')),
      loadSecretKey(fromFile('two')),
    ]);
    expect(one).not.toEqual(two);
  });

  it('stays the same when the text of the file moves to the environment', async () => {
    const key = await loadSecretKey(fromFile('moved'));
    const text = await readFile(join(folder, 'moved', 'secret.key'), 'utf8');
    const config = loadConfig({ SECRET_KEY: text.trim(), DATA_DIR: join(folder, 'unused') });
    expect(await loadSecretKey(config)).toEqual(key);
    await expect(stat(join(folder, 'unused'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is refused, not replaced, when the file was damaged', async () => {
    const path = join(folder, 'one', 'secret.key');
    await writeFile(path, 'cut off');
    await expect(loadSecretKey(fromFile('one'))).rejects.toThrow('does not hold a key');
    expect(await readFile(path, 'utf8')).toBe('cut off');
  });
});
