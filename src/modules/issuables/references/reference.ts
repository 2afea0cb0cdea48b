import type { IssuableType } from '../issuable.js';

/** A project as texts name it. */
export interface NamedProject {
  /** Null: the namespace of the text's own project. */
  readonly namespace: string | null;
  readonly path: string;
}

/** That a text refers to an issue or merge request by its number. */
export interface IssuableReference {
  readonly type: IssuableType;
  /** Null: the text's own project. */
  readonly project: NamedProject | null;
  readonly iid: number;
}

/** A reference where it stands in a text. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly sign: '#' | '!' | '~' | '%';
  readonly project: NamedProject | null;
  /** What stands behind the sign, without quotes. */
  readonly name: string;
  /** Whether it is the address of the thing in the web interface. */
  readonly isUrl: boolean;
}
