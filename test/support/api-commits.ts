import type { Test } from 'supertest';
import type { MadeProject, Person } from './factories.js';
import { PushedRefs } from './pushed-refs.js';
import type { Trellis } from './trellis.js';

/** Commits to `master` through the API, unless told otherwise. */
export interface ApiCommits {
  url: string;
  refs: PushedRefs;
  commit(actions: object[], more?: object, person?: Person): Test;
}

export function apiCommits(trellis: Trellis, project: MadeProject, owner: Person): ApiCommits {
  const url = `/projects/${String(project.id)}/repository/commits`;
  return {
    url,
    refs: new PushedRefs(trellis, project),
    commit: (actions, more = {}, person = owner) =>
      trellis
        .as(person)
        .post(url, { branch_name: 'master', commit_message: 'Work', actions, ...more }),
  };
}

/** The action that adds a file. */
export function create(file_path: string, content = 'x') {
  return { action: 'create', file_path, content };
}
