/** The name of an object: 40 lower-case hexadecimal digits (SHA-1). */
export type Oid = string;

/** Stands for "no object": a ref that must not exist, or is to be deleted. */
export const ZERO_OID: Oid = '0'.repeat(40);

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** The author or committer of an object, with the date. */
export interface Signature {
  name: string;
  email: string;
  date: Date;
  /** Offset from UTC with four digits, as Git writes it, for example `+0200`. */
  timezone: string;
}

export interface Commit {
  oid: Oid;
  tree: Oid;
  parents: Oid[];
  author: Signature;
  committer: Signature;
  /** Everything after the headers, decoded; undecodable bytes become U+FFFD. */
  message: string;
}

/** What a tag object says besides what it marks. */
export interface TagText {
  message: string;
  tagger: Signature | null;
}

export interface ObjectInfo {
  oid: Oid;
  type: ObjectType;
  /** Bytes. */
  size: number;
}

export interface GitObject extends ObjectInfo {
  content: Buffer;
}

export interface Ref {
  /** Full name, for example `refs/heads/master`. */
  name: string;
  /** The object it points at; a tag object is not peeled. */
  target: Oid;
}

/** An entry of a folder of a commit. */
export interface TreeEntry {
  /** Decoded; undecodable bytes become U+FFFD. */
  name: string;
  /** From the root, with slashes. */
  path: string;
  /** Six octal digits. */
  mode: string;
  /** `commit` is a submodule. */
  type: 'tree' | 'blob' | 'commit';
  oid: Oid;
}

/** The difference of one file. */
export interface DiffEntry {
  oldPath: string;
  newPath: string;
  /** Six octal digits, zeros for a side that does not exist. */
  oldMode: string;
  newMode: string;
  oldOid: Oid;
  newOid: Oid;
  /** `retyped`: a file became a link or a submodule, or the other way round. */
  change: 'added' | 'deleted' | 'modified' | 'renamed' | 'retyped';
  /**
   * The patch of git from `---` on, or the line about binary files. Empty where only names or modes differ,
   * and for patches above 100 KiB. Undecodable bytes become U+FFFD.
   */
  text: string;
}

export interface Diff {
  entries: DiffEntry[];
  /** Whether files are left out because there are more than 1,000, or more than 50,000 lines. */
  isCut: boolean;
}

/** One step of a push or of an atomic ref transaction. */
export interface RefUpdate {
  ref: string;
  /** Expected value; {@link ZERO_OID} when the ref must not exist. */
  oldOid: Oid;
  /** Value to set; {@link ZERO_OID} deletes. */
  newOid: Oid;
}
