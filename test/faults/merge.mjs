// A merge request from its branch to the merge, by the API.
import { call } from '../crash/creators.mjs';

/** @throws Error where it is not merged */
export async function mergeOnce({ url }) {
  const ask = async (method, path, body) => {
    const answer = await call(method, `${url}/api/v3${path}`, body);
    if (answer?.status !== 200) throw new Error(`${path} answers ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const { id } = await ask('POST', '/projects', { name: 'merged' });
  const addFile = (branch, name) =>
    ask('POST', `/projects/${id}/repository/files`, {
      ...{ file_path: name, branch_name: branch, content: name, commit_message: `Add ${name}` },
    });
  await addFile('master', 'first');
  await ask('POST', `/projects/${id}/repository/branches`, { branch_name: 'topic', ref: 'master' });
  await addFile('topic', 'second');
  const branches = { source_branch: 'topic', target_branch: 'master' };
  const request = await ask('POST', `/projects/${id}/merge_requests`, {
    ...branches,
    title: 'Merge',
  });
  const merged = await ask('PUT', `/projects/${id}/merge_requests/${request.id}/merge`, {});
  if (merged.state !== 'merged') throw new Error(`The merge request is ${merged.state}`);
}
