import type { DomainError } from '../../../platform/errors/index.js';
import type { AccessInSql, ProjectAccess, Subject } from '../../authorization/index.js';

export type IssuableType = 'Issue' | 'MergeRequest';

/** The tables of the kinds. */
export const ISSUABLE_TABLES = { Issue: 'issues', MergeRequest: 'merge_requests' } as const;

/** The columns of an issue or merge request that notes, todos and the like need. */
export interface Issuable {
  readonly type: IssuableType;
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly authorId: number;
  /** IDs of users, in order. */
  readonly assigneeIds: readonly number[];
  /** Issues have none. */
  readonly reviewerIds: readonly number[];
  readonly title: string;
  /** Whether some readers of the kind in the project may not read it. */
  readonly confidential: boolean;
  /** Whether members of the project alone may comment; null while it was never set. */
  readonly discussionLocked: boolean | null;
}

/** The issuables of a kind in a project that a reader may certainly read: all, those not confidential, or none. */
export type ReadScope = 'all' | 'open' | 'nothing';

/** Names of columns or parameters for a condition in SQL. The access is the reader's to the target's project. */
export interface ReaderInSql extends AccessInSql {
  /** Alias of the table of the kind. */
  readonly target: string;
  /** Holds the reader's user ID. */
  readonly reader: string;
}

/** An issuable with its description, which may be long. */
export interface DescribedIssuable extends Issuable {
  readonly description: string | null;
}

/** An issue or merge request with its relations; each kind has more of it. */
export interface LoadedIssuable {
  readonly issuable: Pick<Issuable, 'id'>;
}

/** An issue or merge request that was read for a response. */
export interface ReadIssuable {
  readonly issuable: Issuable;
  /** Loads its relations. */
  readonly load: () => Promise<LoadedIssuable>;
}

/** The name of an issue, or a merge request, in texts. */
export interface NumberInProject {
  readonly projectId: number;
  readonly iid: number;
}

/** An issue or merge request of a project, by its ID or its number. */
export type IssuableKey = number | Pick<NumberInProject, 'iid'>;

/** Finds, reads and loads issues, or merge requests. The upper rooms provide the two kinds. */
export interface IssuableKind {
  readonly type: IssuableType;
  /** The sign before their numbers in texts. */
  readonly sigil: '#' | '!';
  /** The segment before their numbers in web URLs. */
  readonly segment: 'issues' | 'merge_requests';
  readonly table: 'issues' | 'merge_requests';
  /** Whether the table has a column `confidential`. */
  readonly hasConfidential: boolean;

  /** Whether the reader, with this access to its project, may read it. */
  allowsReading(issuable: Issuable, access: ProjectAccess, reader: Subject): boolean;

  /** Returns which issuables of a project the reader certainly may read, if the project has the kind enabled. */
  readScope(access: ProjectAccess): ReadScope;

  /** Expresses `allowsReading` in SQL. It is false for deleted ones. */
  readable(names: ReaderInSql): string;

  /**
   * Finds one in a project, for endpoints with a refusal of their own, such as those of notes and awards. Null if it
   * does not exist, or the reader may not read it.
   */
  findReadable(access: ProjectAccess, reader: Subject, id: number): Promise<Issuable | null>;

  /**
   * Reads one in a project.
   * @throws DomainError not found (404) if it does not exist; if the reader may not read it, not found for an issue,
   * forbidden (403) for a merge request
   */
  read(access: ProjectAccess, reader: Subject, id: number): Promise<ReadIssuable>;

  /** The refusal of a read by a caller who may not read it: not found for an issue, forbidden for a merge request. */
  unreadable(): DomainError;

  /** Finds those that are not deleted, by ID, with one statement. */
  find(ids: readonly number[]): Promise<ReadonlyMap<number, Issuable>>;

  /** Finds those that are not deleted, with one statement. */
  findByIid(numbers: readonly NumberInProject[]): Promise<Issuable[]>;

  /** Returns the bytes of text that `load` loads for each, by ID. */
  textBytesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>>;

  /** Loads them for a reader who may read them, by ID, with a constant number of statements. */
  load(ids: readonly number[], reader: Subject): Promise<ReadonlyMap<number, LoadedIssuable>>;

  /**
   * Sets `updated_at` to now and locks it against deletion until the unit of work ends.
   * @returns false if it is deleted
   */
  touch(id: number): Promise<boolean>;

  /** Locks them in ID order until the unit of work ends. */
  lock(ids: readonly number[]): Promise<void>;
}
