import { Injectable } from '@nestjs/common';
import type { Commit, LineRange, Oid, Repository } from '../../../git/index.js';
import { tooLarge } from '../../../platform/errors/index.js';
import { MIB } from '../../../platform/limits/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { listCommits } from '../shared/commit-text.js';
import type { ReadFile } from './files.service.js';

/** The largest file whose lines are attributed, in bytes. */
const MAX_BYTES = 4 * MIB;
/** The most lines that are attributed at once. */
const MAX_LINES = 100_000;
/** Characters of what all groups show of their commits. A commit counts for each of its groups. */
const MAX_COMMIT_CHARACTERS = 16 * MIB;
const COMMITS_AT_ONCE = 100;

/** Consecutive lines that one commit brought. */
export interface BlamedGroup {
  commit: Commit;
  /** Without line ends. */
  lines: string[];
}

/** Attributes the lines of files to commits (docs/reference/v4-repository.md#files). */
@Injectable()
export class BlameService {
  constructor(private readonly storage: ProjectStorage) {}

  /**
   * Attributes lines of a file of a revision; those of a range that lie within the file, by default all. Messages are cut as in
   * lists of commits.
   * @throws DomainError too large: the file, the number of its lines, or the answer
   */
  async attribute(
    project: ProjectRef,
    file: ReadFile,
    range: LineRange | undefined,
  ): Promise<BlamedGroup[]> {
    if (file.content.length > MAX_BYTES) throw tooLarge();
    const lines = linesOf(file.content.toString('utf8'));
    const { first, last } = range ?? { first: 1, last: lines.length };
    const asked = { first, last: Math.min(last, lines.length) };
    if (asked.first > asked.last) return [];
    if (asked.last - asked.first >= MAX_LINES) throw tooLarge();
    const repository = this.storage.snapshot(project);
    const groups = await repository.blame({ commit: file.commit, path: file.path, lines: asked });
    const commits = await readCommits(
      repository,
      groups.map(({ commit }) => commit),
    );
    return groups.map((group) => ({
      commit: commits.get(group.commit) as Commit,
      lines: lines.slice(group.first - 1, group.last),
    }));
  }
}

/** As git counts them: a line end at the end begins no further one. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * Reads the commits of groups.
 * @param oids one for each group
 * @throws DomainError too large
 */
async function readCommits(
  repository: Repository,
  oids: readonly Oid[],
): Promise<ReadonlyMap<Oid, Commit>> {
  const uses = new Map<Oid, number>();
  for (const oid of oids) uses.set(oid, (uses.get(oid) ?? 0) + 1);
  const distinct = [...uses.keys()];
  const commits = new Map<Oid, Commit>();
  let characters = 0;
  for (let at = 0; at < distinct.length; at += COMMITS_AT_ONCE) {
    for (const commit of await listCommits(repository, distinct.slice(at, at + COMMITS_AT_ONCE))) {
      commits.set(commit.oid, commit);
      characters += charactersOf(commit) * (uses.get(commit.oid) ?? 0);
    }
    if (characters > MAX_COMMIT_CHARACTERS) throw tooLarge();
  }
  return commits;
}

const charactersOf = ({ message, author, committer, parents }: Commit): number =>
  message.length +
  author.name.length +
  author.email.length +
  committer.name.length +
  committer.email.length +
  parents.join().length;
