/** What a check of stored data has found. */
export interface Flaw {
  /** Stable, for scripts. */
  readonly name:
    | 'repository'
    | 'objects'
    | 'head'
    | 'default-branch'
    | 'protected-branch'
    | 'merge-request'
    | 'keep-around';
  readonly detail: string;
  /** `noted`: nothing is wrong, but somebody may want to know. */
  readonly state: 'found' | 'repaired' | 'noted';
}
