import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isAbsent } from './file-errors.js';
import { FileMark, MARK_BYTES, sameMark } from './file-mark.js';
import { isValidRefName } from './names.js';
import type { Marked, RefFiles } from './ref-files.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid, Ref } from './types.js';

const REF_BYTES = 200;
/** Files that are read before other requests get their turn. */
const READ_AT_ONCE = 100;

/** Refs below a prefix, at one moment. */
export interface RefList {
  /** By name. */
  refs: readonly Ref[];
  /** The same for the same refs with the same targets, wherever they are. */
  version: string;
}

/** A list, and the looks it depends on: at every folder of refs, and at `packed-refs`. */
export interface KnownRefList extends RefList {
  looks: ReadonlyMap<string, FileMark | null>;
}

/** Lists refs; a list is made again only when one of its folders or `packed-refs` has changed. */
export class RefLists {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly files: RefFiles,
  ) {}

  /** Refs below a prefix that ends with a slash. */
  async below(prefix: string): Promise<RefList> {
    const cache = this.location.runtime.caches.refLists;
    const key = join(this.location.path, prefix);
    const known = cache.get(key);
    if (known && isCurrent(known)) return known;
    const survey = await this.survey(prefix);
    const list = { ...listed(survey.targets), looks: survey.looks };
    if (survey.isLasting) {
      cache.set(key, list, list.refs.length * REF_BYTES + list.looks.size * MARK_BYTES);
    }
    return list;
  }

  private async survey(prefix: string): Promise<Survey> {
    const survey = new Survey();
    await this.collect(prefix, survey);
    const { mark, value }: Marked<{ targets: ReadonlyMap<string, Oid> }> =
      await this.files.packed();
    survey.saw(join(this.location.path, 'packed-refs'), mark);
    for (const [name, target] of value.targets) {
      if (name.startsWith(prefix) && !survey.targets.has(name)) survey.targets.set(name, target);
    }
    return survey;
  }

  private async collect(prefix: string, survey: Survey): Promise<void> {
    const folder = join(this.location.path, prefix);
    survey.saw(folder, FileMark.of(folder));
    for (const entry of await entriesOf(folder)) {
      const name = prefix + entry.name;
      if (entry.isDirectory()) await this.collect(`${name}/`, survey);
      else if (isValidRefName(name)) await this.add(name, survey);
    }
  }

  private async add(name: string, survey: Survey): Promise<void> {
    const value = this.files.loose(name);
    if (!value) return;
    // What a symbolic ref leads to may change in a folder that is not looked at.
    if ('symbolic' in value) survey.isLasting = false;
    const target = 'oid' in value ? value.oid : await this.files.resolve(value.symbolic);
    if (target !== null) survey.targets.set(name, target);
    survey.read += 1;
    if (survey.read % READ_AT_ONCE === 0) await nextTurn();
  }
}

/** What is found out on the way through the folders. */
class Survey {
  readonly looks = new Map<string, FileMark | null>();
  readonly targets = new Map<string, Oid>();
  /** Whether any change will show in the looks. */
  isLasting = true;
  read = 0;

  saw(path: string, mark: FileMark | null): void {
    this.looks.set(path, mark);
    if (mark?.isSettled === false) this.isLasting = false;
  }
}

function isCurrent({ looks }: KnownRefList): boolean {
  for (const [path, mark] of looks) {
    if (!sameMark(mark, FileMark.of(path))) return false;
  }
  return true;
}

function listed(targets: ReadonlyMap<string, Oid>): RefList {
  const refs = [...targets].map(([name, target]): Ref => ({ name, target }));
  refs.sort((a, b) => (a.name < b.name ? -1 : 1));
  const hash = createHash('sha256');
  for (const { name, target } of refs) hash.update(`${target} ${name}\n`);
  return { refs, version: hash.digest('base64') };
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
