// Projects that drivers begin with, made without the client.
import { username, write } from './operations.mjs';

/** Makes a project of the driver's own. @param files by path, of its first commit; none leaves it empty */
export async function makeProject(path, files = {}) {
  const project = await write('POST', '/projects', { name: path, path, visibility: 'private' });
  const actions = Object.entries(files).map(([name, content]) => ({
    ...{ action: 'create', file_path: name, content },
  }));
  if (actions.length > 0) await commit(project.id, 'main', 'Begin', actions);
  return { id: project.id, base: `/projects/${project.id}`, path: `${username}/${path}` };
}

export const commit = (id, branch, message, actions) =>
  write('POST', `/projects/${id}/repository/commits`, { branch, commit_message: message, actions });
