import type { ProjectAccess, Subject } from '../access/index.js';

export type IssuableType = 'Issue' | 'MergeRequest';

/** What notes, todos and the like have to know of the issue or merge request that they belong to. */
export interface Issuable {
  readonly type: IssuableType;
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly authorId: number;
  readonly assigneeId: number | null;
  readonly title: string;
  /** Whether it is hidden from those who may read others of its kind in the project. */
  readonly confidential: boolean;
}

/**
 * What somebody may read of a kind in a project without a look at each: all of it, what is not
 * confidential, or nothing.
 */
export type Reach = 'all' | 'open' | 'nothing';

/** Names of columns or parameters for a condition in SQL. */
export interface ReaderInSql {
  /** Alias of the table of the kind. */
  readonly target: string;
  /** Holds the reader's user ID. */
  readonly reader: string;
  /** Holds the reader's level on the target's project: 0 without any membership. */
  readonly level: string;
  /** Tells whether the project's visibility alone shows it to the reader. */
  readonly visible: string;
}

/** One with its description, which may be long. */
export interface DescribedIssuable extends Issuable {
  readonly description: string | null;
}

/** What names an issue, or a merge request, in texts. */
export interface NumberInProject {
  readonly projectId: number;
  readonly iid: number;
}

/** How issues, or merge requests, are found and shown. The rooms above register theirs. */
export interface IssuableKind {
  readonly type: IssuableType;
  /** What stands before their numbers in texts. */
  readonly sigil: '#' | '!';
  /** What stands before their numbers in web URLs. */
  readonly segment: 'issues' | 'merge_requests';
  readonly table: 'issues' | 'merge_requests';
  /** Whether some may be confidential, which a column of this name tells. */
  readonly hasConfidential: boolean;

  /** Whether somebody with this standing on its project may read it. */
  allowsReading(issuable: Issuable, access: ProjectAccess, reader: Subject): boolean;

  /** What somebody with this standing on a project, where it has this kind, reads of it for sure. */
  reach(access: ProjectAccess): Reach;

  /** The same as `allowsReading` as a condition in SQL, true for what is not deleted only. */
  readable(names: ReaderInSql): string;

  /** Those that are there, by ID, with one statement. */
  find(ids: readonly number[]): Promise<ReadonlyMap<number, Issuable>>;

  /** Those that are there, with one statement. */
  findByIid(places: readonly NumberInProject[]): Promise<Issuable[]>;

  /** The bytes of text that `present` loads for each, by ID. */
  textBytesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>>;

  /** As the API shows them to a reader who may read them, with a constant number of statements. */
  present(ids: readonly number[], reader: Subject): Promise<ReadonlyMap<number, object>>;

  /**
   * Moves `updated_at` to now, in the caller's unit of work; nobody deletes it until that is over.
   * @returns false when it is gone
   */
  touch(id: number): Promise<boolean>;
}
