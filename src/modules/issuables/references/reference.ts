import type { IssuableType } from '../kinds/issuable.js';

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

/** A reference with its position in a text. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly sign: '#' | '!' | '~' | '%';
  readonly project: NamedProject | null;
  /** The name after the sign, without quotes. */
  readonly name: string;
  /** Whether it is the address of the thing in the web interface. */
  readonly isUrl: boolean;
}

/** A project with its path. */
interface NamedPath {
  id: number;
  namespaceId: number;
  namespacePath: string;
  path: string;
}

/**
 * Returns the reference to an object of a project in a text of another: `#7` within a project, `project#7` within a
 * namespace, else `namespace/project#7`.
 * @param name with its sign: `#7`, `!4`, `@` and the hash of a commit
 * @param home the project of the text
 */
export function referenceText(name: string, project: NamedPath, home: NamedPath): string {
  if (project.id === home.id) return name;
  if (project.namespaceId === home.namespaceId) return `${project.path}${name}`;
  return `${project.namespacePath}/${project.path}${name}`;
}

/** Returns the reference to a commit, which has no sign within its project. */
export function commitText(sha: string, project: NamedPath, home: NamedPath): string {
  return project.id === home.id ? sha : referenceText(`@${sha}`, project, home);
}
