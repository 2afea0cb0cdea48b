import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { BackupError } from '../errors.js';
import { CHECKSUMS, KEYS, MANIFEST, type Manifest, parseManifest } from '../manifest.js';
import type { Advance } from '../progress.js';
import { type Checksums, isBackupPath, parseChecksums } from './checksums.js';
import { compressionOf, isArchive } from './compression.js';
import { LATEST, listBackups } from './directory-target.js';

/** How many damaged files an error names. */
const MAX_NAMED = 10;

/** A file of a backup. */
export interface BackupFile {
  readonly path: string;
  /** Has to be read to its end before the next file. */
  readonly content: Readable;
}

/** A backup that is read. */
export interface BackupSource {
  /** The bytes that reading all files takes, as they are reported while they are read. */
  readonly bytes: number;
  /** Reads all files, in any order. */
  files(advance: Advance): AsyncIterable<BackupFile> | Iterable<BackupFile>;
}

/**
 * Opens a backup: an archive, a folder, or the newest one in a directory of backups.
 * @throws BackupError when there is none
 */
export async function openBackup(from: string): Promise<BackupSource> {
  const found = await stat(from).catch(() => null);
  if (found?.isFile() === true && isArchive(from)) {
    const { decompress } = await compressionOf(from);
    return { bytes: found.size, files: (advance) => readArchive(from, decompress, advance) };
  }
  // Where the newest backup was deleted, `latest` points at nothing.
  for (const folder of [from, path.join(from, LATEST), ...(await listBackups(from))]) {
    const checksums = await stat(path.join(folder, CHECKSUMS)).catch(() => null);
    if (checksums !== null) return openFolder(folder);
  }
  throw new BackupError(`There is no complete backup in ${from}.`);
}

async function openFolder(folder: string): Promise<BackupSource> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  // First the files that say whether the backup can be restored at all; an archive begins with the keys.
  const head = [MANIFEST, KEYS, CHECKSUMS].filter((name) => names.includes(name));
  const rest = names.filter((name) => !head.includes(name)).sort();
  let bytes = 0;
  for (const name of names) bytes += (await stat(path.join(folder, name))).size;
  return { bytes, files: (advance) => readFolder(folder, [...head, ...rest], advance) };
}

function* readFolder(
  folder: string,
  names: readonly string[],
  advance: Advance,
): Generator<BackupFile> {
  for (const name of names) {
    const content = createReadStream(path.join(folder, name), { highWaterMark: 1024 * 1024 });
    content.on('data', (chunk) => advance(chunk.length)).pause();
    yield { path: name, content };
  }
}

async function* readArchive(
  file: string,
  decompress: (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>,
  advance: Advance,
): AsyncGenerator<BackupFile> {
  const tar = extract();
  const counter = new Transform({
    transform: (chunk: Buffer, _, done) => {
      advance(chunk.length);
      done(null, chunk);
    },
  });
  // A failure destroys the reader of the archive, which is read below.
  const fed = pipeline(createReadStream(file), counter, decompress, tar).catch(() => undefined);
  try {
    for await (const entry of tar) {
      yield { path: entry.header.name, content: entry };
    }
  } finally {
    tar.destroy();
    await fed;
  }
}

/** What is checked as soon as it is read; each throws if the backup cannot be restored. */
export interface EarlyChecks {
  readonly checkManifest: (manifest: Manifest) => void;
  /** @param sealed of a backup that has keys */
  readonly checkKeys: (sealed: string) => Promise<void>;
}

/**
 * Reads a whole backup and compares every file with its checksum.
 * @throws BackupError naming the files that are damaged, missing, or no part of the backup
 */
export async function verifyBackup(
  source: BackupSource,
  advance: Advance,
  checks: EarlyChecks,
): Promise<{ readonly manifest: Manifest }> {
  try {
    const { manifest, checksums, found } = await readAll(source.files(advance), checks);
    if (manifest === null || checksums === null) throw new BackupError('The backup is incomplete.');
    compare(checksums, found);
    return { manifest };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    // An archive whose compression is damaged, for example.
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackupError(`The backup cannot be read: ${reason}`, { cause: error });
  }
}

async function readAll(
  files: ReturnType<BackupSource['files']>,
  { checkManifest, checkKeys }: EarlyChecks,
) {
  const found = new Map<string, string>();
  let manifest: Manifest | null = null;
  let checksums: Checksums | null = null;
  for await (const { path: name, content } of files) {
    if (found.has(name)) throw new BackupError(`The backup has ${name} twice.`);
    if (name === CHECKSUMS) {
      checksums = await parseChecksums(content);
    } else if (name === MANIFEST || name === KEYS) {
      const bytes = await buffer(content);
      found.set(name, createHash('sha256').update(bytes).digest('hex'));
      if (name === KEYS) await checkKeys(bytes.toString('utf8'));
      else checkManifest((manifest = parseManifest(bytes.toString('utf8'))));
    } else {
      const hash = createHash('sha256');
      for await (const chunk of content) hash.update(chunk as Buffer);
      found.set(name, hash.digest('hex'));
    }
  }
  return { manifest, checksums, found };
}

function compare(checksums: Checksums, found: Checksums): void {
  const problems = [
    ...[...found.keys()]
      .filter((name) => !checksums.has(name) || !isBackupPath(name))
      .map((name) => `${name} is no part of it`),
    ...[...checksums].flatMap(([name, sum]) => {
      if (!found.has(name)) return [`${name} is missing`];
      return found.get(name) === sum ? [] : [`${name} is damaged`];
    }),
  ];
  if (problems.length === 0) return;
  const named = problems.slice(0, MAX_NAMED).map((problem) => `  ${problem}`);
  const more = problems.length > MAX_NAMED ? [`  and ${problems.length - MAX_NAMED} more`] : [];
  throw new BackupError(
    ['The backup cannot be restored, nothing was changed:', ...named, ...more].join('\n'),
  );
}
