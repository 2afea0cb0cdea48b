import { StringDecoder } from 'node:string_decoder';
import { BackupError } from '../errors.js';
import { CHECKSUMS } from '../manifest.js';

const LINES_AT_ONCE = 10_000;
/** More than any path of a backup and its checksum take. */
const LONGEST_LINE = 16_384;
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

/**
 * Writes checksums in the format of `sha256sum`, so that the operator can verify a backup with it. In pieces: those of a large
 * instance are longer than any string may be.
 */
export async function* renderChecksums(checksums: Checksums): AsyncGenerator<Buffer> {
  let lines: string[] = [];
  for (const [path, sum] of checksums) {
    lines.push(`${sum}  ${path}\n`);
    if (lines.length < LINES_AT_ONCE) continue;
    yield await Promise.resolve(Buffer.from(lines.join('')));
    lines = [];
  }
  yield Buffer.from(lines.join(''));
}

/** @throws BackupError for what `renderChecksums` cannot have written */
export async function parseChecksums(content: AsyncIterable<Buffer>): Promise<Checksums> {
  const sums = new Map<string, string>();
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of content) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, sum = '', path = ''] = LINE.exec(line) ?? [];
      if (!isBackupPath(path)) throw damaged();
      sums.set(path, sum);
    }
    if (rest.length > LONGEST_LINE) throw damaged();
  }
  if (rest + decoder.end() !== '') throw damaged();
  return sums;
}

const damaged = (): BackupError => new BackupError(`${CHECKSUMS} is damaged.`);

/** Whether a backup may contain a file of this path. */
export function isBackupPath(path: string): boolean {
  const parts = path.split('/');
  const isKnown = PATHS.some((pattern) => pattern.test(path));
  return isKnown && !/[\0\n\\]/.test(path) && parts.every((part) => !isDots(part));
}

const isDots = (part: string): boolean => part === '' || part === '.' || part === '..';
