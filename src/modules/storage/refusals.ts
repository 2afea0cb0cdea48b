import { DomainError } from '../../platform/errors/index.js';

declare module '../../platform/errors/index.js' {
  interface Refusals {
    storage:
      | { readonly code: 'storage-limit'; readonly sizes: StorageSizes }
      /** Also for readers who may not read the upload. */
      | { readonly code: 'upload-missing' };
  }
}

/** Bytes of a project: what it may have, what it has, and what would be added. */
export interface StorageSizes {
  readonly limit: number;
  readonly used: number;
  readonly added: number;
}

export const uploadMissing = (): DomainError => new DomainError({ code: 'upload-missing' });
