import { DomainError } from '../../../platform/errors/index.js';

/** The fields of a project that are unique in a namespace. */
export type UniqueProjectField = 'name' | 'path';

/** Why a project is not transferred into a namespace. */
export type TransferProblem = 'name-taken' | 'not-permitted' | 'path-taken' | 'same-group';

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    projects:
      | { readonly code: 'already-forked' }
      | { readonly code: 'fork-name-taken'; readonly fields: readonly UniqueProjectField[] }
      /** The user in whose namespace the project would be, who is the caller or another account. */
      | {
          readonly code: 'project-limit-reached';
          readonly limit: number;
          readonly isCallers: boolean;
        }
      | { readonly code: 'transfer-refused'; readonly reason: TransferProblem };
  }

  interface Resources {
    projects: 'deploy-key' | 'target-namespace' | 'topic';
  }

  interface FieldRules {
    projects:
      | 'above-group'
      | 'above-source'
      /** There is none, or none in which the creator may have projects. */
      | 'no-namespace'
      | 'not-an-import-address'
      | 'project-name-form'
      | 'project-path-form'
      | 'repository-not-empty';
  }
}

export const alreadyForked = (): DomainError => new DomainError({ code: 'already-forked' });

export const forkNameTaken = (fields: readonly UniqueProjectField[]): DomainError =>
  new DomainError({ code: 'fork-name-taken', fields });

export const transferRefused = (reason: TransferProblem): DomainError =>
  new DomainError({ code: 'transfer-refused', reason });
