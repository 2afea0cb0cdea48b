/** The name of an object: 40 lower-case hexadecimal digits (SHA-1). */
export type Oid = string;

/** Stands for "no object": a ref that must not exist, or is to be deleted. */
export const ZERO_OID: Oid = '0'.repeat(40);

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** Who wrote or committed something, and when. */
export interface Signature {
  name: string;
  email: string;
  date: Date;
  /** Offset from UTC as Git stores it, for example `+0200`. */
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

/** One step of a push or of an atomic ref transaction. */
export interface RefUpdate {
  ref: string;
  /** Expected value; {@link ZERO_OID} when the ref must not exist. */
  oldOid: Oid;
  /** Value to set; {@link ZERO_OID} deletes. */
  newOid: Oid;
}
