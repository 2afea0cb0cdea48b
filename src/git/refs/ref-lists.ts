import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB } from '../model/bytes.js';
import { isValidRefName } from '../model/names.js';
import type { Oid, Ref } from '../model/types.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import { FileMark, MARK_BYTES, sameMark } from '../storage/file-mark.js';
import { isAbsent } from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import type { RefFiles, Validity } from './ref-files.js';

/** Lists by the path of the repository and the prefix. */
const REF_LISTS = new SharedState(() => new ByteCache<KnownRefList>('ref_lists', 8 * MIB));

const REF_BYTES = 200;
/** Files and folders that are asked for at once; the storage limits how many of them it reads. */
const READ_AT_ONCE = 100;

/** The refs below a prefix at one moment. */
export interface RefList {
  /** Sorted by name. */
  refs: readonly Ref[];
  /** A hash of names and targets, equal for equal lists. */
  version: string;
}

/** A list with the marks of the files it depends on: every folder of refs, and `packed-refs`. */
interface KnownRefList extends RefList, Validity {
  /** Null when later changes may leave the marks as they are. */
  readonly marks: ReadonlyMap<string, FileMark | null> | null;
}

/** Lists refs. Reads a list again only when one of its folders or `packed-refs` has changed. */
export class RefLists {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly files: RefFiles,
  ) {}

  /**
   * Lists the refs below a prefix that ends with a slash.
   * @param except prefixes that are left out
   */
  async below(prefix: string, except: readonly string[] = []): Promise<RefList> {
    const { snapshot, view } = this.location;
    const { epoch } = view;
    const cache = this.location.runtime.shared(REF_LISTS);
    const key = [join(this.location.path, prefix), ...except].join('\0');
    const known = cache.peek(key);
    const isSeen = snapshot !== undefined && known?.snapshot === snapshot;
    if (known !== undefined && (isSeen || (known.epoch === epoch && (await this.holds(known))))) {
      cache.count(true);
      if (snapshot !== undefined) known.snapshot = snapshot;
      return known;
    }
    cache.count(false);
    const survey = await this.survey(prefix, except);
    const marks = survey.isCacheable ? survey.marks : null;
    const list = { ...listed(survey.targets), marks, snapshot, epoch };
    if (snapshot !== undefined || survey.isCacheable) {
      cache.set(key, list, list.refs.length * REF_BYTES + survey.marks.size * MARK_BYTES);
    }
    return list;
  }

  private async holds({ marks }: KnownRefList): Promise<boolean> {
    if (marks === null) return false;
    const all = [...marks];
    for (let at = 0; at < all.length; at += READ_AT_ONCE) {
      const some = all.slice(at, at + READ_AT_ONCE);
      const same = await Promise.all(
        some.map(async ([path, mark]) => sameMark(mark, await this.readMark(path))),
      );
      if (same.includes(false)) return false;
    }
    return true;
  }

  private readMark(path: string): Promise<FileMark | null> {
    return this.location.look(() => FileMark.read(path));
  }

  private async survey(prefix: string, except: readonly string[]): Promise<Survey> {
    const survey = new Survey(except);
    await this.collect(prefix, survey);
    const { mark, value } = await this.files.packed(performance.now());
    survey.addMark(join(this.location.path, 'packed-refs'), mark);
    for (const [name, target] of value.targets) {
      if (!name.startsWith(prefix) || survey.targets.has(name) || survey.leavesOut(name)) continue;
      survey.targets.set(name, target);
    }
    return survey;
  }

  private async collect(prefix: string, survey: Survey): Promise<void> {
    const folder = join(this.location.path, prefix);
    survey.addMark(folder, await this.readMark(folder));
    const entries = await this.location.look(() => entriesOf(folder));
    for (let at = 0; at < entries.length; at += READ_AT_ONCE) {
      const some = entries.slice(at, at + READ_AT_ONCE);
      await Promise.all(
        some.map(async (entry) => {
          const name = prefix + entry.name;
          if (!entry.isDirectory() && isValidRefName(name)) await this.add(name, survey);
        }),
      );
    }
    for (const entry of entries) {
      const below = `${prefix}${entry.name}/`;
      if (entry.isDirectory() && !survey.leavesOut(below)) await this.collect(below, survey);
    }
  }

  private async add(name: string, survey: Survey): Promise<void> {
    const value = await this.files.loose(name);
    if (!value) return;
    // The target of a symbolic ref may change in a folder without a mark.
    if ('symbolic' in value) survey.isCacheable = false;
    const target = 'oid' in value ? value.oid : await this.files.resolve(value.symbolic);
    if (target !== null) survey.targets.set(name, target);
  }
}

/** Collects the refs of a list, and the marks of the files it depends on. */
class Survey {
  readonly marks = new Map<string, FileMark | null>();
  readonly targets = new Map<string, Oid>();
  /** Whether every later change will change a mark. */
  isCacheable = true;

  constructor(private readonly except: readonly string[]) {}

  leavesOut(name: string): boolean {
    return this.except.some((prefix) => name.startsWith(prefix));
  }

  addMark(path: string, mark: FileMark | null): void {
    this.marks.set(path, mark);
    if (mark?.isSettled === false) this.isCacheable = false;
  }
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
