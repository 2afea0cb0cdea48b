import { join } from 'node:path';
import type { Ref } from '../model/types.js';
import { packedRefs } from '../refs/packed-refs.js';
import { namesIn } from '../storage/files.js';
import { ATTRIBUTES, CONFIG } from '../storage/repository-folder.js';

const LOOSE_FOLDER = /^[0-9a-f]{2}$/;
const LOOSE_OBJECT = /^[0-9a-f]{38}$/;
const PACK_INDEX = /^(pack-[0-9a-f]+)\.idx$/;

/**
 * Lists the files that hold the objects of a repository, by paths relative to it. What belongs together is one group: a
 * pack with its indexes, the one that git finds it by last. Leaves out what git can compute: bitmaps, commit graphs and
 * indexes over several packs. Under the push lock, every object that a listed object refers to is in a listed file.
 */
export async function listObjectFiles(repository: string): Promise<string[][]> {
  // Loose objects first: those that are packed meanwhile are found in their pack.
  const loose = await listLooseObjects(join(repository, 'objects'));
  return [...loose, ...(await listPacks(join(repository, 'objects', 'pack')))];
}

async function listLooseObjects(objects: string): Promise<string[][]> {
  const groups: string[][] = [];
  for (const folder of (await namesIn(objects)).filter((name) => LOOSE_FOLDER.test(name))) {
    for (const name of await namesIn(join(objects, folder))) {
      if (LOOSE_OBJECT.test(name)) groups.push([`objects/${folder}/${name}`]);
    }
  }
  return groups;
}

async function listPacks(folder: string): Promise<string[][]> {
  const names = new Set(await namesIn(folder));
  return [...names].flatMap((name) => {
    const [, pack] = PACK_INDEX.exec(name) ?? [];
    if (pack === undefined) return [];
    const endings = names.has(`${pack}.rev`) ? ['pack', 'rev', 'idx'] : ['pack', 'idx'];
    return [endings.map((ending) => `objects/pack/${pack}.${ending}`)];
  });
}

/**
 * Returns the texts of all files of a repository but those of its objects, by relative path.
 * @param head the branch that HEAD points at
 * @throws RefConflictError when two of the refs cannot exist beside each other
 */
export function repositoryTexts(head: string, refs: readonly Ref[]): Record<string, string> {
  return {
    HEAD: `ref: refs/heads/${head}\n`,
    config: CONFIG,
    'info/attributes': ATTRIBUTES,
    'packed-refs': packedRefs(refs),
  };
}
