import path from 'node:path';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  type FileContent,
  FileMode,
  HEAD,
  type NewObjects,
  type ObjectInfo,
  type Oid,
  type Repository,
  type TreeEditor,
  type TreeEntry,
} from '../../../git/index.js';
import { runPaced } from '../../../platform/async/index.js';
import { DomainError, notFound, pageTokenUnknown } from '../../../platform/errors/index.js';
import { ANSWER_BYTES, ANSWER_MEMORY } from '../../../platform/limits/index.js';
import { Page, type PageRequest } from '../../../platform/pagination/index.js';
import type { ProjectAccess, ProjectRef } from '../../authorization/index.js';
import { ProjectStorage } from '../../storage/index.js';
import type { User } from '../../users/index.js';
import { CommitsService } from '../commits/commits.service.js';
import {
  CommitWriter,
  type EditableFiles,
  findParent,
  type NewCommit,
} from '../commits/commit-writer.js';
import {
  type ContentEncoding,
  decodeContent,
  existingPathRefusal,
  modeOf,
  newPathRefusal,
  withoutLeadingSlash,
} from '../commits/file-actions.js';
import type { CacheableAnswer } from '../shared/answer-cache.js';
import { fileRefused } from '../shared/refusals.js';
import type { ArchiveFormat } from './archive-format.js';

/** The largest file that is sent within JSON, in bytes. Larger ones can be downloaded. */
const MAX_JSON_BYTES = 20 * 1024 * 1024;
/** Folders first, then files, then submodules. */
const TREE_ORDER: Readonly<Record<TreeEntry['type'], number>> = { tree: 0, blob: 1, commit: 2 };
/** Longer lists take milliseconds to sort. */
const SORTED_AT_ONCE = 5_000;

/** A file of a revision. */
interface FoundFile {
  commit: Oid;
  blob: Oid;
  /** Six octal digits. */
  mode: string;
}

/** What is known of a file of a revision besides its content. */
export interface FileOfRevision extends FoundFile {
  /** From the root folder. */
  path: string;
  /** As it was asked for. */
  ref: string;
  /** The newest commit that changed the file. */
  lastCommit: Oid;
}

/** A file of a revision with its content. */
export interface ReadFile extends FileOfRevision {
  content: Buffer;
}

/** A file to be downloaded. */
export interface Download {
  /** Of its content. */
  oid: Oid;
  /** Without folders; absent for a blob without a path. */
  name?: string;
  /** @throws DomainError not found, for a missing or damaged object */
  open: () => Promise<FileContent>;
}

/** An archive to be downloaded. */
interface Archive {
  /** The file name; it contains the commit. Without the extension it names the folder in the archive. */
  name: string;
  /** Starts the archive. Its content must be read or destroyed. */
  open: () => Promise<Readable>;
}

type Folder = Pick<TreeEntry, 'oid' | 'path'>;

interface FolderQuery {
  /** The default branch if absent. */
  refName?: string | undefined;
  /** The root folder if absent. */
  path?: string | undefined;
  recursive: boolean;
  /** Whether a folder that does not exist is listed like an empty one. Otherwise it is refused. */
  mayBeMissing: boolean;
  /** The path of the entry behind which the first page begins. */
  after?: string | undefined;
}

/** The file that a commit changes, with the terms of the commit. */
export interface FileChange extends NewCommit {
  path: string;
  /** The newest commit that changed the file, as the caller knows it. The change is refused when it is another. */
  lastCommit?: string | undefined;
}

interface EncodedContent {
  content: string;
  encoding: ContentEncoding;
  /** Whether the file can be executed; a new one cannot, and another stays as it is, when absent. */
  executable?: boolean | undefined;
}

/** Files and folders (docs/reference/files.md#endpoints). Each change of a file is a commit of its own. */
@Injectable()
export class FilesService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly commits: CommitsService,
    private readonly writer: CommitWriter,
  ) {}

  /**
   * Finds a file of a revision. Its content, which is not cached, may be too large (`ObjectTooLargeError`).
   * @throws DomainError not found
   */
  async find(
    project: ProjectRef,
    ref: string,
    filePath: string,
  ): Promise<CacheableAnswer<ReadFile>> {
    const found = await this.findFile(project, ref, filePath);
    const { objects } = this.storage.snapshot(project);
    let info: ObjectInfo | null = null;
    return {
      key: ['file', found, filePath, ref],
      weigh: async () => {
        info = await objects.info(found.blob);
        return fileWeight(info?.size ?? 0);
      },
      make: async () => {
        const [content, file] = await Promise.all([
          readContent(objects, found.blob, info),
          this.describe(project, ref, filePath, found),
        ]);
        return { ...file, content };
      },
    };
  }

  private async describe(
    project: ProjectRef,
    ref: string,
    filePath: string,
    found: FoundFile,
  ): Promise<FileOfRevision> {
    const { commit } = found;
    const lastChange = await this.storage.snapshot(project).lastChange(commit, filePath);
    return { ...found, path: filePath, ref, lastCommit: lastChange ?? commit };
  }

  /**
   * Finds a file of a revision for download, and what is known of it.
   * @param ref a revision; the default branch if absent
   * @throws DomainError not found
   */
  async findWithDownload(
    project: ProjectRef,
    ref: string | undefined,
    filePath: string,
  ): Promise<{ file: FileOfRevision; download: Download }> {
    const revision = ref ?? HEAD;
    const found = await this.findFile(project, revision, filePath);
    const file = await this.describe(project, revision, filePath, found);
    return { file, download: this.downloadOf(project, filePath, found) };
  }

  /**
   * Finds a file of a revision for download.
   * @throws DomainError not found
   */
  async findDownload(project: ProjectRef, sha: string, filePath: string): Promise<Download> {
    return this.downloadOf(project, filePath, await this.findFile(project, sha, filePath));
  }

  private downloadOf(project: ProjectRef, filePath: string, { blob }: FoundFile): Download {
    const open = async (): Promise<FileContent> => {
      const file = await this.storage.snapshot(project).file(blob);
      if (file === null) throw notFound('file');
      return file;
    };
    return { oid: blob, name: path.posix.basename(filePath), open };
  }

  /**
   * Finds a blob for download.
   * @param sha the hash of the blob, possibly abbreviated
   * @throws DomainError not found
   */
  async findBlob(project: ProjectRef, sha: string): Promise<Download> {
    const repository = this.storage.snapshot(project);
    const oid = await repository.objects.findBlob(sha.toLowerCase());
    if (oid === null) throw notFound('blob');
    const open = async (): Promise<FileContent> => {
      const file = await repository.file(oid);
      if (file === null) throw notFound('blob');
      return file;
    };
    return { oid, open };
  }

  /**
   * Finds the content of a blob. It is not cached, and may be too large (`ObjectTooLargeError`).
   * @throws DomainError not found
   */
  async findContent(project: ProjectRef, oid: Oid): Promise<CacheableAnswer<Buffer>> {
    const { objects } = this.storage.snapshot(project);
    const info = await objects.info(oid);
    if (info?.type !== 'blob') throw notFound('blob');
    return {
      key: ['blob', oid],
      weigh: () => fileWeight(info.size),
      make: () => readContent(objects, oid, info),
    };
  }

  /**
   * Finds the files of a revision for an archive.
   * @param sha a revision; the default branch if absent
   * @throws DomainError not found
   */
  async findArchive(
    project: ProjectRef,
    sha: string | undefined,
    { container, extension, compress }: ArchiveFormat,
  ): Promise<Archive> {
    const repository = this.storage.snapshot(project);
    const commit = await repository.resolveCommit(sha ?? HEAD);
    if (commit === null) throw notFound('file');
    const name = sha ?? project.defaultBranch ?? HEAD;
    const folder = `${project.path}-${name.replaceAll('/', '-')}-${commit}`;
    const open = async (): Promise<Readable> =>
      compress(await repository.archive({ commit, format: container, folder }));
    return { name: `${folder}.${extension}`, open };
  }

  /**
   * Lists the entries of a folder (docs/reference/files.md#get-projectsidrepositorytree).
   * @throws DomainError not found, folder missing, and (`make`) page token unknown
   * @throws ObjectTooLargeError (`make`) for a folder of more than about half a million files
   */
  async listFolder(
    project: ProjectRef,
    { refName, path: folderPath, recursive, mayBeMissing, after }: FolderQuery,
    request: PageRequest,
  ): Promise<CacheableAnswer<Page<TreeEntry>>> {
    const repository = this.storage.snapshot(project);
    const root = await rootTreeOf(repository, refName ?? HEAD);
    const folder = await findFolder(repository, root, folderPath);
    if (folder === null && !mayBeMissing) throw new DomainError({ code: 'folder-missing' });
    const { page, perPage } = request;
    return {
      key: ['tree', folder, recursive, page, perPage, after],
      weigh: async () => {
        if (folder === null) return 0;
        if (recursive) return ANSWER_BYTES.recursiveFolder;
        const size = await repository.trees.size(folder.oid);
        return Math.min(ANSWER_MEMORY.perUser, ANSWER_BYTES.perFolderByte * size);
      },
      make: async () => {
        if (folder === null) return Page.of<TreeEntry>([], request);
        const { entries, isCut } = await this.readFolder(repository, folder, recursive);
        return Page.of(entriesBehind(entries, after), request, { isCut });
      },
    };
  }

  private async readFolder(
    { trees }: Repository,
    folder: Folder,
    recursive: boolean,
  ): Promise<{ entries: readonly TreeEntry[]; isCut: boolean }> {
    const { entries, isCut } = await (recursive
      ? trees.walk(folder.oid, folder.path)
      : trees.list(folder.oid, folder.path));
    const sort = (): TreeEntry[] => [...entries].sort(byTypeAnd(recursive ? 'path' : 'name'));
    return { entries: entries.length > SORTED_AT_ONCE ? await runPaced(sort) : sort(), isCut };
  }

  /** @throws DomainError file refused, path refused, commit refused, forbidden, conflict */
  create(
    caller: User,
    access: ProjectAccess,
    change: FileChange,
    content: EncodedContent,
  ): Promise<void> {
    return this.commitChange(caller, access, change, async ({ editor, objects }, filePath) => {
      const refusal = newPathRefusal(filePath);
      if (refusal !== null) throw refusal;
      if ((await editor.obstacle(filePath)) !== null) throw fileRefused('exists');
      const mode = modeOf(content.executable) ?? FileMode.FILE;
      await editor.put(filePath, { mode, oid: addBlob(content, objects) });
    });
  }

  /** Replaces the content and keeps the mode. @throws DomainError file refused, path refused, commit refused, forbidden, conflict */
  update(
    caller: User,
    access: ProjectAccess,
    change: FileChange,
    content: EncodedContent,
  ): Promise<void> {
    return this.commitChange(caller, access, change, async ({ editor, objects }, filePath) => {
      const kept = await findMode(filePath, editor);
      const mode = modeOf(content.executable) ?? kept;
      await editor.put(filePath, { mode, oid: addBlob(content, objects) });
    });
  }

  /** @throws DomainError file refused, path refused, commit refused, forbidden, conflict */
  delete(caller: User, access: ProjectAccess, change: FileChange): Promise<void> {
    return this.commitChange(caller, access, change, async ({ editor }, filePath) => {
      await findMode(filePath, editor);
      await editor.remove(filePath);
    });
  }

  private async commitChange(
    caller: User,
    access: ProjectAccess,
    { path: givenPath, lastCommit, ...commit }: FileChange,
    change: (files: EditableFiles, filePath: string) => Promise<void>,
  ): Promise<void> {
    const filePath = withoutLeadingSlash(givenPath);
    const repository = this.storage.repository(access.project);
    const lastChangeAt = async (parent: Oid | null) => ({
      parent,
      oid: parent === null ? null : await repository.lastChange(parent, filePath),
    });
    // A walk through history takes long: under the push lock only if the branch has moved meanwhile.
    const expected =
      lastCommit === undefined
        ? undefined
        : {
            oid: lastCommit.toLowerCase(),
            known: await lastChangeAt(await findParent(repository, commit)),
          };
    await this.writer.commitChanges(caller, access, commit, async (files) => {
      await change(files, filePath);
      if (expected === undefined || files.parent === null) return;
      const { oid, known } = expected;
      const current = known.parent === files.parent ? known : await lastChangeAt(files.parent);
      if (current.oid !== oid) throw fileRefused('changed');
    });
  }

  /** @throws DomainError not found: the commit, or the file */
  private async findFile(project: ProjectRef, sha: string, filePath: string): Promise<FoundFile> {
    const commit = await this.commits.read(project, sha);
    const { trees } = this.storage.snapshot(project);
    // Written files may be named with slashes before, too.
    const entry = await trees.find(commit.tree, withoutLeadingSlash(filePath));
    if (entry?.type !== 'blob') throw notFound('file');
    return { commit: commit.oid, blob: entry.oid, mode: entry.mode };
  }
}

/** @throws DomainError not found */
async function readContent(
  objects: Repository['objects'],
  blob: Oid,
  info: ObjectInfo | null,
): Promise<Buffer> {
  const object = await objects.read(blob, { maxBytes: MAX_JSON_BYTES, info });
  if (object === null) throw notFound('file');
  return object.content;
}

/** What a file of a size takes as JSON; nothing where it is refused as too large. */
const fileWeight = (size: number): number =>
  size > MAX_JSON_BYTES ? 0 : ANSWER_BYTES.perFileByte * size;

/** @throws DomainError file refused for content that is not valid base64 */
function addBlob({ content, encoding }: EncodedContent, objects: NewObjects): Oid {
  const bytes = decodeContent(content, encoding);
  if (bytes === null) throw fileRefused('not-base64');
  return objects.blob(bytes);
}

/** @throws DomainError path refused; file refused when there is no file at the path */
async function findMode(filePath: string, editor: TreeEditor): Promise<string> {
  const refusal = existingPathRefusal(filePath);
  if (refusal !== null) throw refusal;
  const entry = await editor.find(filePath);
  const isFile =
    entry !== null && entry.mode !== FileMode.TREE && entry.mode !== FileMode.SUBMODULE;
  if (!isFile) throw fileRefused('missing');
  return entry.mode;
}

/** @throws DomainError not found */
async function rootTreeOf(repository: Repository, revision: string): Promise<Oid> {
  const oid = await repository.resolveCommit(revision);
  const commit = oid === null ? null : await repository.objects.commit(oid);
  if (commit === null) throw notFound('tree');
  return commit.tree;
}

async function findFolder(
  repository: Repository,
  root: Oid,
  folderPath: string | undefined,
): Promise<Folder | null> {
  if (folderPath === undefined || folderPath === '/') return { oid: root, path: '' };
  const entry = await repository.trees.find(root, folderPath);
  return entry?.type === 'tree' ? { oid: entry.oid, path: entry.path } : null;
}

/** @throws DomainError page token unknown: there is no such entry, or no longer */
function entriesBehind(
  entries: readonly TreeEntry[],
  path: string | undefined,
): readonly TreeEntry[] {
  if (path === undefined) return entries;
  const index = entries.findIndex((entry) => entry.path === path);
  if (index === -1) throw pageTokenUnknown(path);
  return entries.slice(index + 1);
}

/**
 * Compares entries by their types and their paths. In one folder names give the same order: comparing half a million paths that
 * begin alike would put each of them together in memory.
 */
function byTypeAnd(key: 'path' | 'name'): (a: TreeEntry, b: TreeEntry) => number {
  return (a, b) => {
    const order = TREE_ORDER[a.type] - TREE_ORDER[b.type];
    return order || (a[key] < b[key] ? -1 : Number(a[key] > b[key]));
  };
}
