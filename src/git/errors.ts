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
  | 'timeout'
  | 'process'
  | 'protocol'
  | 'closed';

/** Base of the errors that `src/git` throws; `code` tells the kinds apart. */
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

/** git is not installed, does not start, or is older than is needed. */
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

/** A caller passed something that must never reach git, such as a malformed ref name. */
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

/** An object is there, and is none that git could have written. */
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

/** The files of a commit are too many, or lie too deep, to be answered together. */
export class TreeTooLargeError extends GitError {
  override readonly name = 'TreeTooLargeError';

  constructor(readonly oid: string) {
    super('tree-too-large', `The files of ${oid} are too many or lie too deep`);
  }
}

/** A ref did not have the expected old value; nothing of the transaction was applied. */
export class StaleRefError extends GitError {
  override readonly name = 'StaleRefError';

  constructor(readonly ref: string) {
    super('stale-ref', `${ref} has moved in the meantime`);
  }
}

/** A ref cannot exist beside another one (`a` and `a/b`); nothing was applied. */
export class RefConflictError extends GitError {
  override readonly name = 'RefConflictError';

  constructor(
    readonly ref: string,
    readonly existing: string,
  ) {
    super('ref-conflict', `${ref} cannot exist beside ${existing}`);
  }
}

/** Another process held the lock of a ref for too long; nothing was applied. */
export class RefLockedError extends GitError {
  override readonly name = 'RefLockedError';

  constructor(message: string) {
    super('ref-locked', message);
  }
}

/** All process slots stayed taken, or another housekeeping run holds the repository. */
export class GitBusyError extends GitError {
  override readonly name = 'GitBusyError';

  constructor(message: string) {
    super('busy', message);
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

/** Why nothing could be fetched from another server. */
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

/** Fetching from another server failed. Says nothing that the server or the user has said. */
export class RemoteError extends GitError {
  override readonly name = 'RemoteError';

  constructor(readonly reason: RemoteFailure) {
    super('remote', REMOTE_TEXTS[reason]);
  }

  /** Whether the same may work later. */
  get passes(): boolean {
    return ['unreachable', 'interrupted', 'failed'].includes(this.reason);
  }
}

/** What another server has is more than an import may bring. */
export class ImportTooLargeError extends GitError {
  override readonly name = 'ImportTooLargeError';

  constructor(reason: string) {
    super('import-too-large', reason);
  }
}

/** A repository could not be copied whole; nothing refers to what was. */
export class IncompleteCopyError extends GitError {
  override readonly name = 'IncompleteCopyError';

  constructor(readonly path: string) {
    super('incomplete', `Objects are missing in the copy at ${path}`);
  }
}

/** git finds fault with objects that were to be stored; none of them was. */
export class ObjectsRefusedError extends GitError {
  override readonly name = 'ObjectsRefusedError';

  constructor(
    /** What git says of the first of them. */
    readonly reason: string,
  ) {
    super('objects-refused', `git refuses an object: ${reason}`);
  }
}

/** What git says of objects that it cannot read. */
const DAMAGED =
  /is corrupt|inflate|bogus (?:tree|commit)|(?:cannot|could not|unable to|failed to) (?:be )?(?:read|unpack|parse|get object)|not a (?:tree|commit|valid) object|bad (?:tree|object)|too-short tree|malformed mode/i;

/** A git process ended in a way nobody asked for. */
export class GitProcessError extends GitError {
  override readonly name = 'GitProcessError';

  constructor(
    readonly command: string,
    /** Null when a signal ended it or it never ran. */
    readonly exitCode: number | null,
    /** The last few kilobytes. */
    readonly stderr: string,
    /** What ended it, where that was a signal. */
    readonly signal: NodeJS.Signals | null = null,
  ) {
    super('process', `git ${command} ended with ${exitCode ?? 'a signal'}: ${stderr.trim()}`);
  }

  /** Whether it had no more memory, or no more stack: asked again, it would end in the same way. */
  get isExhausted(): boolean {
    return /out of memory|malloc failed/i.test(this.stderr) || this.signal === 'SIGSEGV';
  }

  /** Whether it met an object that is damaged, or one that is missing where another one names it. */
  get isDamaged(): boolean {
    return DAMAGED.test(this.stderr);
  }
}

/** git answered something that does not follow its own format. */
export class GitProtocolError extends GitError {
  override readonly name = 'GitProtocolError';

  constructor(message: string) {
    super('protocol', message);
  }
}

export class GitClosedError extends GitError {
  override readonly name = 'GitClosedError';

  constructor() {
    super('closed', 'The Git runtime has been closed');
  }
}
