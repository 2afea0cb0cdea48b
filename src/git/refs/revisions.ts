import { MIB } from '../model/bytes.js';
import { BRANCH_PREFIX, HEAD, isOid, LONGEST_REF_NAME, TAG_PREFIX } from '../model/names.js';
import { type Oid, ZERO_OID } from '../model/types.js';
import { COMMITS, type ObjectReader } from '../objects/object-reader.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import type { RefStore } from './ref-store.js';

/** The commits that tag objects lead to. */
const PEELED = new SharedState(() => new ByteCache<Oid>('peeled_revisions', 2 * MIB));

/** As `HEAD`, in git. */
const HEAD_SIGN = '@';
const ABBREVIATION = /^[0-9a-f]{7,39}$/;
const BEGIN_OF_SUFFIXES = /[~^]/;
/** `^{commit}`, `^{}`, `~`, `~n`, `^` or `^n`. */
const SUFFIX = /\^\{(?:commit)?\}|([~^])(\d{0,9})/gy;
/** From one commit to a parent: each reads a commit. */
const MAX_STEPS = 1_000;

/** What a text means: something with a name, and the suffixes behind it. */
interface Revision {
  name: string;
  /** `~n` and `^n`, as git writes them. */
  suffixes: string;
}

/** Resolves revisions. Of what users write, git sees only hex digits, and suffixes that were parsed and limited here. */
export class Revisions {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly refs: RefStore,
    private readonly objects: ObjectReader,
  ) {}

  /** Returns the commit that a revision means; null if there is none, or it is too long or too far away. */
  async resolve(rev: string): Promise<Oid | null> {
    const revision = parseRevision(rev);
    if (revision === null) return null;
    const start = await this.named(revision.name);
    if (start === null || revision.suffixes === '') return start;
    return this.objects.peelToCommit(start + revision.suffixes);
  }

  /** Peels an object to its commit, else returns null. The answer cannot change and is cached. */
  async commitOf(oid: Oid): Promise<Oid | null> {
    const { runtime } = this.location;
    const identity = await this.location.identity();
    const key = `${identity}\0${oid}`;
    if (runtime.shared(COMMITS).get(key)) return oid;
    const peeled = runtime.shared(PEELED);
    const known = peeled.get(key);
    if (known !== undefined) return known;
    const commit = await this.objects.peelToCommit(oid);
    if (commit !== null) peeled.set(key, commit, 80);
    return commit;
  }

  /** Returns the commit with a name: of an id, of HEAD, of a ref or of an abbreviated id, in this order. */
  private async named(name: string): Promise<Oid | null> {
    const hex = name.toLowerCase();
    const identified = isOid(hex) && hex !== ZERO_OID ? await this.commitOf(hex) : null;
    if (identified !== null) return identified;
    if (name === HEAD || name === HEAD_SIGN) return this.headCommit();
    for (const ref of refsNamed(name)) {
      const target = await this.refs.get(ref);
      if (target !== null) return this.commitOf(target);
    }
    return ABBREVIATION.test(hex) ? this.abbreviated(hex) : null;
  }

  private async headCommit(): Promise<Oid | null> {
    const { head = await this.refs.head() } = this.location.options;
    const target = head === null ? null : await this.refs.get(BRANCH_PREFIX + head);
    return target === null ? null : this.commitOf(target);
  }

  /** Resolves an abbreviated id. git would prefer a ref of that name, hence the check of the result. */
  private async abbreviated(hex: string): Promise<Oid | null> {
    const commit = await this.objects.peelToCommit(hex);
    return commit?.startsWith(hex) ? commit : null;
  }
}

/** Parses a revision. Returns null for a text that is none, and for one that leads too far. */
function parseRevision(text: string): Revision | null {
  if (text.length > LONGEST_REF_NAME) return null;
  const begin = text.search(BEGIN_OF_SUFFIXES);
  if (begin < 0) return { name: text, suffixes: '' };
  const suffixes = parseSuffixes(text.slice(begin));
  return suffixes === null ? null : { name: text.slice(0, begin), suffixes };
}

function parseSuffixes(text: string): string | null {
  let parsed = '';
  let steps = 0;
  let end = 0;
  for (const [suffix, sign, digits] of text.matchAll(SUFFIX)) {
    end += suffix.length;
    if (sign === undefined) continue;
    const number = digits === '' ? 1 : Number(digits);
    steps += sign === '~' ? number : Math.min(number, 1);
    parsed += sign + String(number);
  }
  return end === text.length && steps <= MAX_STEPS ? parsed : null;
}

/** The refs that a name may mean, in the order of git. */
function refsNamed(name: string): string[] {
  const whole = [name, `refs/${name}`].filter((ref) =>
    [BRANCH_PREFIX, TAG_PREFIX].some((prefix) => ref.startsWith(prefix)),
  );
  return [...whole, TAG_PREFIX + name, BRANCH_PREFIX + name];
}
