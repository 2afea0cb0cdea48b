/** @operation */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { BackupError } from '../../../src/backup/index.js';
import { ArchiveTarget } from '../../../src/backup/files/archive-target.js';
import { openBackup, verifyBackup } from '../../../src/backup/files/backup-source.js';
import { DirectoryTarget } from '../../../src/backup/files/directory-target.js';

const MANIFEST = JSON.stringify({ format: 'trellis-backup', formatVersion: 1 });
const UPLOAD = 'uploads/@hashed/ab/cd/1/secret';

describe('the files of a backup', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-files-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function archive(...files: [name: string, text: string][]): Promise<string> {
    const tar = pack();
    const sums = files.map(([name, text]) => {
      tar.entry({ name }, text);
      return `${createHash('sha256').update(text).digest('hex')}  ${name}\n`;
    });
    tar.entry({ name: 'SHA256SUMS' }, sums.join(''));
    tar.finalize();
    const file = path.join(folder, 'hostile.tar.gz');
    await pipeline(tar, createGzip(), createWriteStream(file));
    return file;
  }

  async function backUp(): Promise<string> {
    const target = await DirectoryTarget.begin(folder);
    await target.addText('manifest.json', MANIFEST);
    return target.complete();
  }

  const verify = async (from: string) => {
    const ignore = (): void => undefined;
    return verifyBackup(await openBackup(from), ignore, {
      checkManifest: ignore,
      checkKeys: async () => ignore(),
    });
  };

  it('are refused in an archive with duplicate files', async () => {
    const file = `${UPLOAD}/a.txt`;
    const hostile = await archive(['manifest.json', MANIFEST], [file, 'one'], [file, 'two']);
    await expect(verify(hostile)).rejects.toThrow(`The backup has ${file} twice`);
  });

  it.each(['hooks/update', 'objects/info/alternates', 'config.worktree', 'refs/heads/x'])(
    'are refused in a repository with %s',
    async (name) => {
      const file = `repositories/default/@hashed/6b/86/1.git/${name}`;
      const hostile = await archive(['manifest.json', MANIFEST], [file, 'text']);
      await expect(verify(hostile)).rejects.toThrow(BackupError);
    },
  );

  it.each(['a\nb', 'a\\b'])('do not include one that could not be restored: %j', async (name) => {
    const target = await DirectoryTarget.begin(folder);
    const added = target.addText(`${UPLOAD}/${name}`, 'text');
    await expect(added).rejects.toThrow('A backup cannot contain');
  });

  it('include one with any other character in its name', async () => {
    const target = await DirectoryTarget.begin(folder);
    await target.addText('manifest.json', MANIFEST);
    await target.addText(`${UPLOAD}/a\u2028b\rc`, 'text');
    await verify(await target.complete());
  });

  it('are copied again where the checksums of the previous backup are damaged', async () => {
    await writeFile(path.join(await backUp(), 'SHA256SUMS'), 'damaged');
    await verify(await backUp());
  });

  it('are found in the newest remaining backup', async () => {
    await backUp();
    await rm(await backUp(), { recursive: true });
    await verify(folder);
  });

  it('are spooled into a separate file, which is removed after a crash', async () => {
    const other = path.join(folder, 'other');
    await writeFile(other, 'kept');
    const file = path.join(folder, 'backup.tar.gz');
    await symlink(other, `${file}.spool`);
    const target = await ArchiveTarget.begin(file, false);
    let names: string[] = [];
    const rows = async function* () {
      yield Buffer.from('first');
      names = await readdir(folder);
      yield Buffer.from('second');
    };
    await target.addStream('database/users.copy.gz', Readable.from(rows()));
    await target.abandon();
    expect(names.sort()).toEqual(['backup.tar.gz.incomplete', 'other']);
    expect(await readFile(other, 'utf8')).toBe('kept');
  });
});
