import path from 'node:path';
import { git } from '../unit/git/support/workshop.js';
import { remoteOf } from './checkout.js';
import type { Client } from './client.js';
import type { MadeProject, Person } from './factories.js';
import { ownHistory } from './own-history.js';
import type { Trellis } from './trellis.js';
import { wideHistory } from './wide-history.js';

/** A history, by the seed of a generated one. */
export type HistoryName = number | 'own';

/** A history that plain git tells from a repository of its own, and the service from another one. */
export interface PushedHistory {
  /** The repository that git is asked in. */
  source: string;
  project: MadeProject;
  /** Path of the repository's routes. */
  base: string;
  client: Client;
  /** All commits of all branches and tags, the newest first. */
  commits: string[];
  defaultBranch: string;
  /** Short names of branches and tags. */
  refs: string[];
}

/** Pushes a history to a new project. @param folder where the other repository is made */
export async function pushHistory(
  trellis: Trellis,
  owner: Person,
  name: HistoryName,
  folder: string,
): Promise<PushedHistory> {
  const source = name === 'own' ? await ownHistory(folder) : await generated(name, folder);
  const project = await trellis.factories.project(owner);
  const remote = remoteOf(trellis, project, owner);
  const all = ['refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'];
  await git(['push', '--quiet', remote, ...all], { cwd: source });
  const client = trellis.as(owner);
  const { body } = await client.get(`/projects/${String(project.id)}`).expect(200);
  const refs = await git(['for-each-ref', '--format=%(refname:lstrip=2)'], { cwd: source });
  const commits = await git(['rev-list', '--all', '--topo-order'], { cwd: source });
  return {
    source,
    project,
    base: `/projects/${String(project.id)}/repository`,
    client,
    commits: commits.split('\n'),
    defaultBranch: (body as { default_branch: string }).default_branch,
    refs: refs.split('\n'),
  };
}

async function generated(seed: number, folder: string): Promise<string> {
  const source = path.join(folder, `generated-${String(seed)}.git`);
  await git(['init', '--quiet', '--bare', source]);
  await git(['fast-import', '--quiet'], { cwd: source, input: wideHistory(seed, 60) });
  return source;
}

/** All items of a list of the API, from all of its pages. */
export async function allPages<T>(client: Client, path: string, perPage = 100): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; ; page += 1) {
    const window = `per_page=${String(perPage)}&page=${String(page)}`;
    const answer = await client.get(`${path}${path.includes('?') ? '&' : '?'}${window}`);
    if (answer.status !== 200) throw new Error(`${path}: ${String(answer.status)} ${answer.text}`);
    items.push(...(answer.body as T[]));
    if (answer.headers['x-next-page'] === '') return items;
  }
}

/** Some of many, evenly spread, the first among them. */
export function spread<T>(all: readonly T[], atMost: number): T[] {
  const step = Math.max(1, all.length / atMost);
  const some: T[] = [];
  for (let at = 0; at < all.length; at += step) some.push(all[Math.floor(at)] as T);
  return some;
}
