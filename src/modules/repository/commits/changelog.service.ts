import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  FileMode,
  HEAD,
  type Oid,
  type Repository,
  TAG_PREFIX,
  type TreeEditor,
} from '../../../git/index.js';
import { tooLarge } from '../../../platform/errors/index.js';
import { ANSWER_BYTES, MIB } from '../../../platform/limits/index.js';
import type { ProjectAccess, ProjectRef } from '../../authorization/index.js';
import { ProjectStorage } from '../../storage/index.js';
import type { User } from '../../users/index.js';
import type { CacheableAnswer } from '../shared/answer-cache.js';
import { changelogRefused } from '../shared/refusals.js';
import {
  addSection,
  type ChangelogCommit,
  changelogCommitOf,
  tagBefore,
  writeSection,
} from './changelog.js';
import { CommitWriter } from './commit-writer.js';
import { newPathRefusal } from './file-actions.js';

/** The most commits of a version. */
const MAX_COMMITS = 5_000;
/** Characters of the messages of all commits. */
const MAX_CHARACTERS = 16 * MIB;
/** The tags among which the version before is looked for. */
const MAX_TAGS = 10_000;
/** Commits whose messages are in memory. */
const COMMITS_AT_ONCE = 100;
const MAX_FILE_BYTES = 4 * MIB;

/** The changes that the changelog of a version tells. */
export interface ChangelogQuery {
  version: string;
  /** The commit behind which they begin; by default that of the tag of the version before. */
  from?: string | undefined;
  /** The last commit. */
  to?: string | undefined;
  /** Of the release. */
  date: Date;
  /** The name of the trailer with the category of a change. */
  trailer: string;
}

/** The file that the changelog is added to, and the terms of the commit. */
export interface ChangelogFile {
  branch: string;
  path: string;
  message: string;
}

/** Returns the address of a commit's page. */
type AddressOf = (oid: Oid) => string;

/** Ends a commit that would add a section once more. */
class SectionExists extends Error {
  override readonly name = 'SectionExists';
}

/** Writes changelogs from the trailers of commits (docs/reference/v4-repository.md#changelogs). */
@Injectable()
export class ChangelogService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly writer: CommitWriter,
  ) {}

  /**
   * Finds the section of a version in Markdown.
   * @throws DomainError changelog refused; too large (`make`), for very long messages
   */
  async find(
    project: ProjectRef,
    query: ChangelogQuery,
    addressOf: AddressOf,
  ): Promise<CacheableAnswer<string>> {
    const repository = this.storage.snapshot(project);
    const { version, date, trailer } = query;
    const range = await findRange(repository, query);
    return {
      key: ['changelog', range, version, date, trailer],
      weigh: () => ANSWER_BYTES.difference,
      make: async () => {
        const commits = await readChanges(repository, range, trailer);
        return writeSection({ version, date, commits, addressOf });
      },
    };
  }

  /**
   * Commits the section of a version to a file, unless it has one of the version already.
   * @throws DomainError changelog refused, commit refused, forbidden, conflict
   */
  async commit(
    caller: User,
    access: ProjectAccess,
    query: ChangelogQuery,
    { branch, path, message }: ChangelogFile,
    addressOf: AddressOf,
  ): Promise<void> {
    await this.writer.requirePushAccess(access, branch);
    const to = query.to ?? BRANCH_PREFIX + branch;
    const { make } = await this.find(access.project, { ...query, to }, addressOf);
    const section = await make();
    const commit = { branch, message, author: {} };
    try {
      await this.writer.commitChanges(caller, access, commit, async ({ editor, objects }) => {
        const repository = this.storage.repository(access.project);
        const file = await readFile(repository, editor, path);
        const text = addSection(file.text, query.version, section);
        if (text === null) throw new SectionExists();
        await editor.put(path, { mode: file.mode, oid: objects.blob(Buffer.from(text)) });
      });
    } catch (error) {
      if (!(error instanceof SectionExists)) throw error;
    }
  }
}

/** Resolves the ends of a range of commits. @throws DomainError changelog refused */
async function findRange(
  repository: Repository,
  { version, from, to = HEAD }: ChangelogQuery,
): Promise<{ start: Oid; exclude: Oid }> {
  const start = await repository.resolveCommit(to);
  if (start === null) throw changelogRefused({ reason: 'revision-missing', revision: to });
  const begin = from ?? (await findTagBefore(repository, version));
  if (begin === undefined) throw changelogRefused({ reason: 'earlier-version-missing' });
  const exclude = await repository.resolveCommit(begin);
  if (exclude === null) throw changelogRefused({ reason: 'revision-missing', revision: begin });
  return { start, exclude };
}

async function findTagBefore({ refs }: Repository, version: string): Promise<string | undefined> {
  const tags = await refs.list(TAG_PREFIX);
  if (tags.length > MAX_TAGS) throw changelogRefused({ reason: 'too-many-tags', limit: MAX_TAGS });
  const tag = tagBefore(
    version,
    tags.map(({ name }) => name.slice(TAG_PREFIX.length)),
  );
  return tag === undefined ? undefined : TAG_PREFIX + tag;
}

/** Reads the commits of a range, the newest first. @throws DomainError changelog refused, too large */
async function readChanges(
  repository: Repository,
  range: { start: Oid; exclude: Oid },
  trailer: string,
): Promise<ChangelogCommit[]> {
  const { oids } = await repository.history({ ...range, skip: 0, limit: MAX_COMMITS + 1 });
  if (oids.length > MAX_COMMITS) {
    throw changelogRefused({ reason: 'too-many-commits', limit: MAX_COMMITS });
  }
  const changes: ChangelogCommit[] = [];
  let characters = 0;
  for (let at = 0; at < oids.length; at += COMMITS_AT_ONCE) {
    const commits = await repository.objects.listed(oids.slice(at, at + COMMITS_AT_ONCE));
    for (const commit of commits) {
      characters += commit.message.length;
      changes.push(changelogCommitOf(commit, trailer));
    }
    if (characters > MAX_CHARACTERS) throw tooLarge();
  }
  return changes;
}

/** Reads the file of a new commit; a new one is blank. @throws DomainError changelog refused, path refused */
async function readFile(
  { objects }: Repository,
  editor: TreeEditor,
  path: string,
): Promise<{ text: string; mode: string }> {
  const entry = await editor.find(path);
  if (entry === null) {
    const refusal = newPathRefusal(path);
    if (refusal !== null) throw refusal;
    if ((await editor.obstacle(path)) !== null) throw changelogRefused({ reason: 'not-a-file' });
    return { text: '', mode: FileMode.FILE };
  }
  const { mode, oid } = entry;
  if (mode !== FileMode.FILE && mode !== FileMode.EXECUTABLE) {
    throw changelogRefused({ reason: 'not-a-file' });
  }
  const content = (await objects.read(oid, { maxBytes: MAX_FILE_BYTES }))?.content;
  if (content === undefined || !isUtf8(content)) throw changelogRefused({ reason: 'not-a-file' });
  return { text: content.toString('utf8'), mode };
}
