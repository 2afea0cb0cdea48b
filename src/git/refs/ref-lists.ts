import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MIB } from '../model/bytes.js';
import { isValidRefName } from '../model/names.js';
import type { Oid, Ref } from '../model/types.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import { FileMark, MARK_BYTES, sameMark } from '../storage/file-mark.js';
import { isAbsent } from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import type { Marked, RefFiles } from './ref-files.js';

/** Lists by the path of the repository and the prefix. */
const REF_LISTS = new SharedState(() => new ByteCache<KnownRefList>('ref_lists', 8 * MIB));

const REF_BYTES = 200;
/** Files that are read before the event loop continues. */
const READ_AT_ONCE = 100;

/** The refs below a prefix at one moment. */
export interface RefList {
  /** Sorted by name. */
  refs: readonly Ref[];
  /** A hash of names and targets, equal for equal lists. */
  version: string;
}

/** A list with the marks of the files it depends on: every folder of refs, and `packed-refs`. */
interface KnownRefList extends RefList {
  marks: ReadonlyMap<string, FileMark | null>;
}

/** Lists refs. Reads a list again only when one of its folders or `packed-refs` has changed. */
export class RefLists {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly files: RefFiles,
  ) {}

  /** Lists the refs below a prefix that ends with a slash. */
  async below(prefix: string): Promise<RefList> {
    const cache = this.location.runtime.shared(REF_LISTS);
    const key = join(this.location.path, prefix);
    const known = cache.get(key, isCurrent);
    if (known !== undefined) return known;
    const survey = await this.survey(prefix);
    const list = { ...listed(survey.targets), marks: survey.marks };
    if (survey.isCacheable) {
      cache.set(key, list, list.refs.length * REF_BYTES + list.marks.size * MARK_BYTES);
    }
    return list;
  }

  private async survey(prefix: string): Promise<Survey> {
    const survey = new Survey();
    await this.collect(prefix, survey);
    const { mark, value }: Marked<{ targets: ReadonlyMap<string, Oid> }> =
      await this.files.packed();
    survey.addMark(join(this.location.path, 'packed-refs'), mark);
    for (const [name, target] of value.targets) {
      if (name.startsWith(prefix) && !survey.targets.has(name)) survey.targets.set(name, target);
    }
    return survey;
  }

  private async collect(prefix: string, survey: Survey): Promise<void> {
    const folder = join(this.location.path, prefix);
    survey.addMark(folder, FileMark.read(folder));
    for (const entry of await entriesOf(folder)) {
      const name = prefix + entry.name;
      if (entry.isDirectory()) await this.collect(`${name}/`, survey);
      else if (isValidRefName(name)) await this.add(name, survey);
    }
  }

  private async add(name: string, survey: Survey): Promise<void> {
    const value = this.files.loose(name);
    if (!value) return;
    // The target of a symbolic ref may change in a folder without a mark.
    if ('symbolic' in value) survey.isCacheable = false;
    const target = 'oid' in value ? value.oid : await this.files.resolve(value.symbolic);
    if (target !== null) survey.targets.set(name, target);
    survey.read += 1;
    if (survey.read % READ_AT_ONCE === 0) await nextTurn();
  }
}

/** Collects the refs of a list, and the marks of the files it depends on. */
class Survey {
  readonly marks = new Map<string, FileMark | null>();
  readonly targets = new Map<string, Oid>();
  /** Whether every later change will change a mark. */
  isCacheable = true;
  read = 0;

  addMark(path: string, mark: FileMark | null): void {
    this.marks.set(path, mark);
    if (mark?.isSettled === false) this.isCacheable = false;
  }
}

function isCurrent({ marks }: KnownRefList): boolean {
  for (const [path, mark] of marks) {
    if (!sameMark(mark, FileMark.read(path))) return false;
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
