import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { Bzip2Stream } from './bzip2-stream.js';

/** What an archive can be had as. */
export interface ArchiveFormat {
  /** What git makes. */
  container: 'tar' | 'zip';
  extension: string;
  mediaType: string;
  compress: (archive: Readable) => Readable;
}

const asIs = (archive: Readable): Readable => archive;

// The end of the archive ends the compression and the other way round, errors included; they are
// noticed by whoever reads the result.
const ignore = (): void => undefined;

const GZIP: ArchiveFormat = {
  container: 'tar',
  extension: 'tar.gz',
  mediaType: 'application/gzip',
  compress: (archive) => pipeline(archive, createGzip(), ignore),
};
const BZIP2: ArchiveFormat = {
  container: 'tar',
  extension: 'tar.bz2',
  mediaType: 'application/x-bzip2',
  compress: (archive) => pipeline(archive, new Bzip2Stream(), ignore),
};
const TAR: ArchiveFormat = {
  container: 'tar',
  extension: 'tar',
  mediaType: 'application/x-tar',
  compress: asIs,
};
const ZIP: ArchiveFormat = {
  container: 'zip',
  extension: 'zip',
  mediaType: 'application/zip',
  compress: asIs,
};

export const DEFAULT_FORMAT = GZIP;

export const ARCHIVE_MEDIA_TYPES = [GZIP, BZIP2, TAR, ZIP].map(({ mediaType }) => mediaType);

/**
 * By what stands behind `archive.` in the path
 * (docs/reference/files.md#get-projectsidrepositoryarchiveformat).
 */
export const ARCHIVE_FORMATS: ReadonlyMap<string, ArchiveFormat> = new Map([
  ...['tar.gz', 'tgz', 'gz'].map((suffix) => [suffix, GZIP] as const),
  ...['tar.bz2', 'tbz', 'tbz2', 'tb2', 'bz2'].map((suffix) => [suffix, BZIP2] as const),
  ['tar', TAR],
  ['zip', ZIP],
]);
