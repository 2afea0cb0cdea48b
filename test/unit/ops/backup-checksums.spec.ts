import { BackupError } from '../../../src/backup/index.js';
import { parseChecksums, renderChecksums } from '../../../src/backup/files/checksums.js';

const SUM = '0'.repeat(64);

describe('the checksums of a backup', () => {
  it('are read as they were written', () => {
    const sums = new Map([
      ['manifest.json', SUM],
      ['database/users.copy.gz', SUM],
      ['uploads/@hashed/ab/cd/1/secret/a name (1).txt', SUM],
    ]);
    expect(parseChecksums(renderChecksums(sums))).toEqual(sums);
  });

  it.each([
    ['above the folder', `${SUM}  repositories/default/../../../etc/passwd\n`],
    ['elsewhere', `${SUM}  /etc/passwd\n`],
    ['of another kind', `${SUM}  secret.key\n`],
    ['without a name', `${SUM}  uploads//x\n`],
    ['with a short sum', `00  manifest.json\n`],
    ['cut off', `${SUM}  manifest.json`],
  ])('are refused for a file %s', (_where, text) => {
    expect(() => parseChecksums(text)).toThrow(BackupError);
  });
});
