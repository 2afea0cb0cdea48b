type Place = { id: number; namespaceId: number; namespacePath: string; path: string };

/**
 * How texts of one project refer to something of another: `#7` within a project, `project#7` within a
 * namespace, else `namespace/project#7`.
 * @param name with its sign: `#7`, `!4`, `@` and the hash of a commit
 * @param home where the text stands
 */
export function referenceText(name: string, project: Place, home: Place): string {
  if (project.id === home.id) return name;
  if (project.namespaceId === home.namespaceId) return `${project.path}${name}`;
  return `${project.namespacePath}/${project.path}${name}`;
}

/** The same of a commit, whose hash stands without a sign within its project. */
export function commitText(sha: string, project: Place, home: Place): string {
  return project.id === home.id ? sha : referenceText(`@${sha}`, project, home);
}
