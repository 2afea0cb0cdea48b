import { Injectable } from '@nestjs/common';
import { FileMode, HEAD, type Oid, type Repository } from '../../../git/index.js';
import { ANSWER_BYTES } from '../../../platform/limits/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import { ProjectStorage } from '../../storage/index.js';
import type { CacheableAnswer } from '../shared/answer-cache.js';
import { type LanguageOf, loadLanguages } from './language-names.js';

/** The files whose sizes are added: the first in the order of folders. */
const COUNTED_FILES = 20_000;
/** The languages with the most bytes. */
const SHOWN_LANGUAGES = 5;

/** How much of a project is written in a language. */
export interface LanguageShare {
  name: string;
  /** Percent of all counted bytes, with two decimals. */
  share: number;
}

/** Tells the languages of projects (docs/reference/v4-projects.md#get-apiv4projectsidlanguages). */
@Injectable()
export class LanguagesService {
  private names: Promise<LanguageOf> | undefined;

  constructor(private readonly storage: ProjectStorage) {}

  /** Finds the languages of the default branch, the largest first; none in an empty repository. */
  async find(project: ProjectRef): Promise<CacheableAnswer<LanguageShare[]>> {
    const repository = this.storage.snapshot(project);
    const oid = await repository.resolveCommit(HEAD);
    const commit = oid === null ? null : await repository.objects.commit(oid);
    const tree = commit?.tree ?? null;
    return {
      key: ['languages', tree],
      weigh: () => (tree === null ? 0 : ANSWER_BYTES.recursiveFolder),
      make: async () => {
        if (tree === null) return [];
        this.names ??= loadLanguages();
        return sharesOf(await countBytes(repository, tree, await this.names));
      },
    };
  }
}

/** Adds the sizes of files by language. */
async function countBytes(
  { trees, objects }: Repository,
  tree: Oid,
  languageOf: LanguageOf,
): Promise<ReadonlyMap<string, number>> {
  const { entries } = await trees.walk(tree);
  const counted: { language: string; oid: Oid }[] = [];
  for (const { path, mode, oid } of entries) {
    const isFile = mode === FileMode.FILE || mode === FileMode.EXECUTABLE;
    const language = isFile ? languageOf(path) : undefined;
    if (language !== undefined) counted.push({ language, oid });
    if (counted.length === COUNTED_FILES) break;
  }
  const sizes = await objects.sizes(counted.map(({ oid }) => oid));
  const bytes = new Map<string, number>();
  for (const [index, { language }] of counted.entries()) {
    bytes.set(language, (bytes.get(language) ?? 0) + (sizes[index] ?? 0));
  }
  return bytes;
}

function sharesOf(bytes: ReadonlyMap<string, number>): LanguageShare[] {
  const sum = [...bytes.values()].reduce((one, other) => one + other, 0);
  return [...bytes]
    .filter(([, size]) => size > 0)
    .sort(([name, size], [otherName, other]) => other - size || (name < otherName ? -1 : 1))
    .slice(0, SHOWN_LANGUAGES)
    .map(([name, size]) => ({ name, share: Math.round((size / sum) * 10_000) / 100 }));
}
