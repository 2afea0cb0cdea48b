import { BackupError } from './errors.js';

/** The file that describes a backup. */
export const MANIFEST = 'manifest.json';
/** The checksums of all other files, as `sha256sum` writes them. Written last: without it a backup is incomplete. */
export const CHECKSUMS = 'SHA256SUMS';
/** The sealed keys of the instance. */
export const KEYS = 'keys.sealed.json';
/** Folders of a backup. */
export const REPOSITORIES = 'repositories';
export const UPLOADS = 'uploads';

const FORMAT = 'trellis-backup';
const FORMAT_VERSION = 1;

/** A table of the database, its content in `tablePath(name)`. */
export interface TableManifest {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

export interface SequenceManifest {
  readonly name: string;
  /** The last number that was given out; a text, since it may exceed what a JavaScript number holds. */
  readonly lastValue: string;
}

/** What a backup contains. */
export interface Manifest {
  /** Of the program that made it. */
  readonly programVersion: string;
  /** The moment whose state it has, in ISO 8601. */
  readonly takenAt: string;
  /** The names of the migrations that the database had, in their order. */
  readonly migrations: readonly string[];
  readonly tables: readonly TableManifest[];
  readonly sequences: readonly SequenceManifest[];
  /** The names of the storages that hold repositories. */
  readonly storages: readonly string[];
  readonly repositories: number;
  /** The projects without a repository on the disk, which is a fault of the instance. */
  readonly missingRepositories: readonly number[];
  readonly hasKeys: boolean;
}

/** Returns how many rows all tables have. */
export const countRows = ({ tables }: Manifest): number =>
  tables.reduce((sum, { rows }) => sum + rows, 0);

/** The file with the rows of a table, in PostgreSQL's text format for COPY. */
export const tablePath = (name: string): string => `database/${name}.copy.gz`;

export function writeManifest(manifest: Manifest): string {
  const document = { format: FORMAT, formatVersion: FORMAT_VERSION, ...manifest };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** @throws BackupError for the manifest of something else, or of a later format */
export function parseManifest(text: string): Manifest {
  const { format, formatVersion, ...manifest } = parse(text);
  if (format !== FORMAT) throw new BackupError(`${MANIFEST} is not that of a Trellis backup.`);
  if (formatVersion !== FORMAT_VERSION) {
    throw new BackupError(
      `The backup was made by a newer version (${manifest.programVersion}), in a format that this program cannot read: restore it with that version.`,
    );
  }
  return manifest;
}

function parse(text: string): Manifest & { format?: unknown; formatVersion?: unknown } {
  try {
    return JSON.parse(text) as ReturnType<typeof parse>;
  } catch (error) {
    throw new BackupError(`${MANIFEST} is damaged.`, { cause: error });
  }
}
