import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { Bzip2Stream } from './bzip2.js';

/** A format that archives are offered in. */
export interface ArchiveFormat {
  /** The format that git writes. */
  container: 'tar' | 'zip';
  extension: string;
  mediaType: string;
  compress: (archive: Readable) => Readable;
}

const uncompressed = (archive: Readable): Readable => archive;

// The pipeline ends both streams together, also after an error, which the reader of the result gets.
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
  compress: uncompressed,
};
const ZIP: ArchiveFormat = {
  container: 'zip',
  extension: 'zip',
  mediaType: 'application/zip',
  compress: uncompressed,
};

export const DEFAULT_FORMAT = GZIP;

export const ARCHIVE_MEDIA_TYPES = [GZIP, BZIP2, TAR, ZIP].map(({ mediaType }) => mediaType);

/**
 * The formats by the suffix of `archive.` in the path
 * (docs/reference/files.md#get-projectsidrepositoryarchiveformat).
 */
export const ARCHIVE_FORMATS: ReadonlyMap<string, ArchiveFormat> = new Map([
  ...['tar.gz', 'tgz', 'gz'].map((suffix) => [suffix, GZIP] as const),
  ...['tar.bz2', 'tbz', 'tbz2', 'tb2', 'bz2'].map((suffix) => [suffix, BZIP2] as const),
  ['tar', TAR],
  ['zip', ZIP],
]);
