import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { BackupError } from '../errors.js';

/** A step of a pipeline. */
type Step = (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

/** How an archive is compressed. */
export interface Compression {
  readonly compress: Step;
  readonly decompress: Step;
}

const GZIP: Compression = {
  compress: (chunks) => throughZlib(chunks, createGzip()),
  decompress: (chunks) => throughZlib(chunks, createGunzip()),
};

// Node 20 has no zstd of its own, and no package for it both streams and is kept up.
const ZSTD: Compression = {
  compress: (chunks) => throughZstd(chunks, ['-3', '-T0']),
  decompress: (chunks) => throughZstd(chunks, ['--decompress']),
};

/** Whether a path names an archive instead of a folder. */
export const isArchive = (file: string): boolean => /\.tar\.(?:zst|gz)$/.test(file);

/** @throws BackupError when the program for an archive of this name is missing */
export async function compressionOf(file: string): Promise<Compression> {
  if (file.endsWith('.gz')) return GZIP;
  const probe = spawn('zstd', ['--version'], { stdio: 'ignore' });
  const isThere = await once(probe, 'close').then(
    ([code]) => code === 0,
    () => false,
  );
  if (isThere) return ZSTD;
  throw new BackupError(
    `${file} needs the program zstd, which is not installed: install it, or use a file whose name ends in .tar.gz.`,
  );
}

async function* throughZlib(
  chunks: AsyncIterable<Buffer>,
  stream: ReturnType<typeof createGzip> | ReturnType<typeof createGunzip>,
): AsyncGenerator<Buffer> {
  // A failure destroys the stream, which is read below.
  const fed = pipeline(chunks, stream).catch(() => undefined);
  for await (const chunk of stream) yield chunk as Buffer;
  await fed;
}

async function* throughZstd(
  chunks: AsyncIterable<Buffer>,
  args: readonly string[],
): AsyncGenerator<Buffer> {
  const child = spawn('zstd', ['--quiet', '--stdout', ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const fed = pipeline(chunks, child.stdin).then(
    () => null,
    (error: unknown) => error as Error,
  );
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer;
    const [[code], failure] = await Promise.all([ended, fed]);
    // zstd that ends early breaks the pipe as well.
    if (code !== 0) throw new Error(`zstd ended with code ${String(code)}`, { cause: failure });
    if (failure !== null) throw failure;
  } finally {
    child.kill();
  }
}
