import { BackupError } from '../errors.js';
import { CHECKSUMS } from '../manifest.js';

const LINE = /^([0-9a-f]{64}) {2}(.+)$/s;
/** The files or the folder of a project, by its ID. */
const HASHED = '@hashed/[0-9a-f]{2}/[0-9a-f]{2}/\\d+';
const REPOSITORY_FILE = [
  'HEAD|config|packed-refs|info/attributes',
  'objects/[0-9a-f]{2}/[0-9a-f]{38}',
  'objects/pack/pack-[0-9a-f]+\\.(?:pack|rev|idx)',
].join('|');
/**
 * The paths that a backup may contain. What is restored so stays within the folders that it is restored to, and has no hooks,
 * no alternates and no further settings, by which git would run programs or read other files.
 */
const PATHS = [
  /^(?:manifest|keys\.sealed)\.json$/,
  /^database\/[^/]+\.copy\.gz$/,
  new RegExp(`^repositories/[^/]+/${HASHED}\\.git/(?:${REPOSITORY_FILE})$`),
  new RegExp(`^uploads/${HASHED}/.+$`, 's'),
];

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
  const isKnown = PATHS.some((pattern) => pattern.test(path));
  return isKnown && !/[\0\n\\]/.test(path) && parts.every((part) => !isDots(part));
}

const isDots = (part: string): boolean => part === '' || part === '.' || part === '..';
