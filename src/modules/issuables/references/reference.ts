import { isMoreVisible, type Visibility } from '../../authorization/index.js';

/** A project with its path. */
export interface NamedPath {
  id: number;
  namespaceId: number;
  namespacePath: string;
  path: string;
  visibility: Visibility;
}

/**
 * Whether a text that all readers of a project see may name another project: one that is at least as visible. It is
 * decided once, when the text is written.
 */
export function mayName(project: NamedPath, home: NamedPath): boolean {
  return !isMoreVisible(home.visibility, project.visibility);
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
