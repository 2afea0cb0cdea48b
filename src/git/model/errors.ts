export type GitErrorCode =
  | 'unavailable'
  | 'invalid-argument'
  | 'repository-missing'
  | 'repository-exists'
  | 'object-missing'
  | 'object-damaged'
  | 'object-too-large'
  | 'tree-too-large'
  | 'stale-ref'
  | 'ref-conflict'
  | 'ref-locked'
  | 'remote'
  | 'import-too-large'
  | 'incomplete'
  | 'objects-refused'
  | 'busy'
  | 'memory-taken'
  | 'timeout'
  | 'storage-unavailable'
  | 'process'
  | 'protocol'
  | 'closed';

/** The base class of the errors that `src/git` throws. */
export class GitError extends Error {
  override readonly name: string = 'GitError';

  constructor(
    readonly code: GitErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** git is not installed, does not start, or is too old. */
export class GitUnavailableError extends GitError {
  override readonly name = 'GitUnavailableError';

  constructor(
    message: string,
    /** The version found, or null when git did not answer. */
    readonly version: string | null,
    options?: ErrorOptions,
  ) {
    super('unavailable', message, options);
  }
}

/** A caller passed an argument that must never reach git, such as a malformed ref name. */
export class InvalidArgumentError extends GitError {
  override readonly name = 'InvalidArgumentError';

  constructor(message: string) {
    super('invalid-argument', message);
  }
}

export class RepositoryMissingError extends GitError {
  override readonly name = 'RepositoryMissingError';

  constructor(readonly path: string) {
    super('repository-missing', `There is no repository at ${path}`);
  }
}

export class RepositoryExistsError extends GitError {
  override readonly name = 'RepositoryExistsError';

  constructor(readonly path: string) {
    super('repository-exists', `There is already something at ${path}`);
  }
}

export class ObjectMissingError extends GitError {
  override readonly name = 'ObjectMissingError';

  constructor(readonly oid: string) {
    super('object-missing', `Object ${oid} is not in the repository`);
  }
}

/** An object has content that git could not have written. */
export class ObjectDamagedError extends GitError {
  override readonly name = 'ObjectDamagedError';

  constructor(readonly oid: string) {
    super('object-damaged', `Object ${oid} is damaged`);
  }
}

export class ObjectTooLargeError extends GitError {
  override readonly name = 'ObjectTooLargeError';

  constructor(
    readonly oid: string,
    /** Bytes. */
    readonly size: number,
    /** Bytes. */
    readonly maxBytes: number,
  ) {
    super(
      'object-too-large',
      `Object ${oid} has ${size} bytes, more than the ${maxBytes} asked for`,
    );
  }
}

/** The files of a commit are too many, or nested too deeply, for one answer. */
export class TreeTooLargeError extends GitError {
  override readonly name = 'TreeTooLargeError';

  constructor(readonly oid: string) {
    super('tree-too-large', `The files of ${oid} are too many or lie too deep`);
  }
}

/** A ref did not have the expected old value. The transaction was rolled back. */
export class StaleRefError extends GitError {
  override readonly name = 'StaleRefError';

  constructor(readonly ref: string) {
    super('stale-ref', `${ref} has moved in the meantime`);
  }
}

/** A ref cannot exist beside another one (`a` and `a/b`). The transaction was rolled back. */
export class RefConflictError extends GitError {
  override readonly name = 'RefConflictError';

  constructor(
    readonly ref: string,
    readonly existing: string,
  ) {
    super('ref-conflict', `${ref} cannot exist beside ${existing}`);
  }
}

/** Another process held the lock of a ref for too long. The transaction was rolled back. */
export class RefLockedError extends GitError {
  override readonly name = 'RefLockedError';

  constructor(message: string) {
    super('ref-locked', message);
  }
}

/** No git process became available in time, or housekeeping or a removal holds the repository. */
export class GitBusyError extends GitError {
  override readonly name = 'GitBusyError';

  constructor(message: string) {
    super('busy', message);
  }
}

/** The processes that read for the client's address take too much memory. */
export class GitMemoryTakenError extends GitError {
  override readonly name = 'GitMemoryTakenError';

  constructor() {
    super('memory-taken', 'git takes too much memory for this address at the moment');
  }
}

export class GitTimeoutError extends GitError {
  override readonly name = 'GitTimeoutError';

  constructor(
    readonly command: string,
    readonly timeoutMs: number,
  ) {
    super('timeout', `git ${command} did not answer within ${timeoutMs} ms`);
  }
}

/** The reasons why a fetch from another server fails. */
export type RemoteFailure =
  | 'unreachable'
  | 'interrupted'
  | 'unauthorized'
  | 'not-found'
  | 'redirected'
  | 'unsupported'
  | 'untrusted'
  | 'shallow'
  | 'invalid-objects'
  | 'too-long'
  | 'failed';

const REMOTE_TEXTS: Readonly<Record<RemoteFailure, string>> = {
  unreachable: 'The server could not be reached',
  interrupted: 'The connection broke off',
  unauthorized: 'The server refused the user name or the password',
  'not-found': 'The server has no such repository',
  redirected: 'The server redirects to another address',
  unsupported: 'The server does not speak the protocol of Git there',
  untrusted: 'The certificate of the server is not trusted',
  shallow: 'The repository is not complete: it is a shallow one',
  'invalid-objects': 'The repository has malformed objects',
  'too-long': 'It took too long',
  failed: 'The repository could not be fetched',
};

/** A fetch from another server failed. The message repeats nothing from the server or the user. */
export class RemoteError extends GitError {
  override readonly name = 'RemoteError';

  constructor(
    readonly reason: RemoteFailure,
    /** The first error that git has named, for operators. */
    readonly detail?: string,
  ) {
    super('remote', REMOTE_TEXTS[reason]);
  }

  /** Whether a later attempt may succeed. */
  get passes(): boolean {
    return ['unreachable', 'interrupted', 'failed'].includes(this.reason);
  }
}

/** The repository on the other server exceeds a limit on imports. */
export class ImportTooLargeError extends GitError {
  override readonly name = 'ImportTooLargeError';

  constructor(reason: string) {
    super('import-too-large', reason);
  }
}

/** A repository could not be copied completely. No ref points at what was copied. */
export class IncompleteCopyError extends GitError {
  override readonly name = 'IncompleteCopyError';

  constructor(readonly path: string) {
    super('incomplete', `Objects are missing in the copy at ${path}`);
  }
}

/** The checks of git refused new objects. None of them was stored. */
export class ObjectsRefusedError extends GitError {
  override readonly name = 'ObjectsRefusedError';

  constructor(
    /** The message of git about the first of them. */
    readonly reason: string,
  ) {
    super('objects-refused', `git refuses an object: ${reason}`);
  }
}

/** Messages of git about objects that it cannot read. */
const DAMAGED =
  /is corrupt|inflate|bogus (?:tree|commit)|(?:cannot|could not|unable to|failed to) (?:be )?(?:read|unpack|parse|get object)|not a (?:tree|commit|valid) object|bad (?:tree|object)|too-short tree|malformed mode/i;

/** Messages of git about a folder that lacks `HEAD`, `refs` or `objects`, or in which it cannot read them. */
const NO_REPOSITORY = /(?:not|requires|appear to be) a git repository/i;

/** What the file system refuses, as git words it. */
const FILE_ERRORS = [
  ['No space left on device', 'ENOSPC'],
  ['Disk quota exceeded', 'EDQUOT'],
  ['Read-only file system', 'EROFS'],
  ['Permission denied', 'EACCES'],
] as const;

/** What file systems that machines share, or that fail, say of a file. Another attempt may succeed. */
const STORAGE_FAILURE =
  /Stale (?:NFS )?file handle|Transport endpoint is not connected|(?:Input\/output|Remote I\/O) error|Software caused connection abort/;

/** A git process ended unexpectedly. */
export class GitProcessError extends GitError {
  override readonly name = 'GitProcessError';

  constructor(
    readonly command: string,
    /** Null when a signal ended it or it never ran. */
    readonly exitCode: number | null,
    /** The last few kilobytes. */
    readonly stderr: string,
    /** The signal that ended it, if any. */
    readonly signal: NodeJS.Signals | null = null,
  ) {
    super('process', `git ${command} ended with ${exitCode ?? 'a signal'}: ${stderr.trim()}`);
  }

  /** Whether it ran out of memory or stack. Another attempt would fail in the same way. */
  get isExhausted(): boolean {
    return /out of memory|malloc failed/i.test(this.stderr) || this.signal === 'SIGSEGV';
  }

  /** The code of what the file system refused, if it did: the disk is full, or files belong to another account. */
  get fileErrorCode(): string | undefined {
    return FILE_ERRORS.find(([text]) => this.stderr.includes(text))?.[1];
  }

  /** Whether the folder is not one of a repository, since a part of it is missing or cannot be read. */
  get isWithoutRepository(): boolean {
    return NO_REPOSITORY.test(this.stderr);
  }

  /** Whether its file system failed, or another machine had replaced a file of which it shows the former one. */
  get isOfStorage(): boolean {
    return STORAGE_FAILURE.test(this.stderr);
  }

  /** Whether it found an object that is damaged, or a reference to an object that is missing. */
  get isDamaged(): boolean {
    return DAMAGED.test(this.stderr);
  }
}

/** The output of git does not have the documented format. */
export class GitProtocolError extends GitError {
  override readonly name = 'GitProtocolError';

  constructor(message: string) {
    super('protocol', message);
  }
}

/** The file system of a storage does not answer. */
export class StorageUnavailableError extends GitError {
  override readonly name = 'StorageUnavailableError';

  constructor(readonly storage: string) {
    super('storage-unavailable', `The storage ${storage} does not answer`);
  }
}

export class GitClosedError extends GitError {
  override readonly name = 'GitClosedError';

  constructor() {
    super('closed', 'The Git runtime has been closed');
  }
}
