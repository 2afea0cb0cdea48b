/** @operation */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BackupError } from '../../../src/backup/index.js';
import { parseChecksums, renderChecksums } from '../../../src/backup/files/checksums.js';

const SUM = '0'.repeat(64);

describe('the checksums of a backup', () => {
  it('are read back unchanged', async () => {
    const sums = new Map([
      ['manifest.json', SUM],
      ['database/users.copy.gz', SUM],
      ['uploads/@hashed/ab/cd/1/secret/a name (1).txt', SUM],
      ['uploads/@hashed/ab/cd/1/secret/\r Übersicht 🗂.txt', SUM],
    ]);
    const written = await buffer(renderChecksums(sums));
    for (const size of [1, 7, 64, written.length]) {
      const pieces = Array.from({ length: Math.ceil(written.length / size) }, (_, piece) =>
        written.subarray(piece * size, (piece + 1) * size),
      );
      expect(await parseChecksums(Readable.from(pieces))).toEqual(sums);
    }
  });

  it('are written in chunks', async () => {
    const sums = new Map(
      Array.from({ length: 25_000 }, (_, at) => [`database/table${at}.copy.gz`, SUM] as const),
    );
    const pieces: Buffer[] = [];
    for await (const piece of renderChecksums(sums)) pieces.push(piece);
    expect(pieces.map(({ length }) => length < 1_000_000)).toEqual([true, true, true]);
    expect(await parseChecksums(Readable.from(pieces))).toEqual(sums);
  });

  it.each([
    ['above the folder', `${SUM}  repositories/default/../../../etc/passwd\n`],
    ['elsewhere', `${SUM}  /etc/passwd\n`],
    ['of another kind', `${SUM}  secret.key\n`],
    ['without a name', `${SUM}  uploads//x\n`],
    ['with a short sum', `00  manifest.json\n`],
    ['cut off', `${SUM}  manifest.json`],
    ['with an endless name', `${SUM}  uploads/@hashed/ab/cd/1/${'x'.repeat(20_000)}`],
  ])('are refused for a file %s', async (_where, text) => {
    await expect(parseChecksums(Readable.from([Buffer.from(text)]))).rejects.toThrow(BackupError);
  });
});
