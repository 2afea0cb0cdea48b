/** A host is, or has an address that is, no business of the service's users. */
export class HostRefusedError extends Error {
  override readonly name = 'HostRefusedError';

  constructor() {
    super('The host may not be connected to');
  }
}

/** A host has no address. */
export class HostUnknownError extends Error {
  override readonly name = 'HostUnknownError';
  /** Whether the name server failed, so that asking again makes sense. */
  readonly temporary: boolean;

  constructor({ temporary }: { temporary: boolean }) {
    super('The host could not be found');
    this.temporary = temporary;
  }
}
