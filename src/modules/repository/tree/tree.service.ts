import { Injectable } from '@nestjs/common';
import type { Oid, Repository, TreeEntry, TreeListing } from '../../../git/index.js';
import { runPaced } from '../../../platform/async/index.js';
import { notFound } from '../../../platform/errors/index.js';
import { Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';

/** Folders first, then files, then submodules. */
const ORDER: Readonly<Record<TreeEntry['type'], number>> = { tree: 0, blob: 1, commit: 2 };

/** Longer lists take milliseconds to sort. */
const SORTED_AT_ONCE = 5_000;

export interface TreeQuestion {
  /** Branch, tag or hash; the default branch if absent. */
  refName?: string | undefined;
  path?: string | undefined;
  recursive: boolean;
}

@Injectable()
export class TreeService {
  constructor(private readonly storage: ProjectStorage) {}

  /**
   * What is in a folder; nothing where there is no such folder
   * (docs/reference/files.md#get-projectsidrepositorytree).
   * @throws DomainError not found
   * @throws ObjectTooLargeError for a folder of more than about half a million files
   */
  async list(
    project: ProjectRef,
    { refName, path, recursive }: TreeQuestion,
    request: PageRequest,
  ): Promise<Page<TreeEntry>> {
    const repository = this.storage.repository(project);
    const root = await rootOf(repository, refName ?? project.defaultBranch);
    const folder = await folderOf(repository, root, path);
    if (folder === null) return Page.of<TreeEntry>([], request);
    const { entries, isCut } = await listingOf(repository, folder, recursive);
    const sort = (): TreeEntry[] => [...entries].sort(byKind);
    const sorted = entries.length > SORTED_AT_ONCE ? await runPaced(sort) : sort();
    return Page.of(sorted, request, { isCut });
  }
}

/** The uppermost folder of a revision. */
async function rootOf(repository: Repository, rev: string | null): Promise<Oid> {
  const oid = rev === null ? null : await repository.resolveCommit(rev);
  const commit = oid === null ? null : await repository.objects.commit(oid);
  if (commit === null) throw notFound('Tree');
  return commit.tree;
}

async function folderOf(
  repository: Repository,
  root: Oid,
  path: string | undefined,
): Promise<Pick<TreeEntry, 'oid' | 'path'> | null> {
  if (path === undefined) return { oid: root, path: '' };
  const found = await repository.trees.find(root, path);
  return found?.type === 'tree' ? found : null;
}

function listingOf(
  { trees }: Repository,
  { oid, path }: Pick<TreeEntry, 'oid' | 'path'>,
  recursive: boolean,
): Promise<TreeListing> {
  return recursive ? trees.walk(oid, path) : trees.list(oid, path);
}

function byKind(a: TreeEntry, b: TreeEntry): number {
  return ORDER[a.type] - ORDER[b.type] || (a.path < b.path ? -1 : Number(a.path > b.path));
}
