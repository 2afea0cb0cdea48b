import { BackupError } from '../errors.js';
import { CHECKSUMS } from '../manifest.js';

const LINE = /^([0-9a-f]{64}) {2}(.+)$/;
/**
 * The paths that a backup may contain, relative and below known folders, so that what is restored stays within the folders
 * that it is restored to.
 */
const PATH = /^(?:manifest\.json|keys\.sealed\.json|(?:database|repositories|uploads)\/.+)$/s;

/** The SHA-256 checksums of the files of a backup, by path. */
export type Checksums = ReadonlyMap<string, string>;

/** Writes checksums in the format of `sha256sum`, so that the operator can verify a backup with it. */
export const renderChecksums = (checksums: Checksums): string =>
  [...checksums].map(([path, sum]) => `${sum}  ${path}\n`).join('');

/** @throws BackupError for a text that `renderChecksums` cannot have written */
export function parseChecksums(text: string): Checksums {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new BackupError(`${CHECKSUMS} is damaged.`);
  return new Map(
    lines.map((line) => {
      const [, sum = '', path = ''] = LINE.exec(line) ?? [];
      if (!isBackupPath(path)) throw new BackupError(`${CHECKSUMS} is damaged.`);
      return [path, sum];
    }),
  );
}

/** Whether a backup may contain a file of this path. */
export function isBackupPath(path: string): boolean {
  const parts = path.split('/');
  return PATH.test(path) && !/[\0\n\\]/.test(path) && parts.every((part) => !isDots(part));
}

const isDots = (part: string): boolean => part === '' || part === '.' || part === '..';
