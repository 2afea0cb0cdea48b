import { MIB } from '../model/bytes.js';
import { GitProcessError } from '../model/errors.js';
import { BRANCH_PREFIX, HEAD, isOid, LONGEST_REF_NAME, TAG_PREFIX } from '../model/names.js';
import { type Oid, ZERO_OID } from '../model/types.js';
import { COMMITS, type ObjectReader } from '../objects/object-reader.js';
import { gitCommands } from '../process/command-table.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import type { RefStore } from './ref-store.js';

/** The commits that tag objects, and steps from commits, lead to. */
const PEELED = new SharedState(() => new ByteCache<Oid>('peeled_revisions', 2 * MIB));

/** As `HEAD`, in git. */
const HEAD_SIGN = '@';
const ABBREVIATION = /^[0-9a-f]{7,39}$/;
const BEGIN_OF_SUFFIXES = /[~^]/;
/** `^{commit}`, `^{}`, `~`, `~n`, `^` or `^n`. */
const SUFFIX = /\^\{(?:commit)?\}|([~^])(\d{0,9})/gy;
/** From one commit to a parent: git reads each commit and keeps it in memory. */
const MAX_STEPS = 1_000;
/** These are read through the cache of commits, which takes less time than another process. */
const FEW_STEPS = 16;

/** What a text means: something with a name, and the suffixes behind it. */
interface Revision {
  name: string;
  /** The number of a parent for each step: 1, 1, 2 for `~2^2`. */
  steps: readonly number[];
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
    const { steps } = revision;
    if (start === null || steps.length === 0) return start;
    return steps.length <= FEW_STEPS ? this.follow(start, steps) : this.walk(start, steps);
  }

  /** Peels an object to its commit, else returns null. */
  async commitOf(oid: Oid): Promise<Oid | null> {
    const known = this.location.runtime.shared(COMMITS);
    if (known.get(`${await this.location.identity()}\0${oid}`)) return oid;
    return this.cached(oid, () => this.objects.peelToCommit(oid));
  }

  private async follow(start: Oid, steps: readonly number[]): Promise<Oid | null> {
    let at: Oid = start;
    for (const step of steps) {
      const parent = (await this.objects.commit(at))?.parents[step - 1];
      if (parent === undefined) return null;
      at = parent;
    }
    return this.commitOf(at);
  }

  /** Follows steps in a process that ends then, since git keeps the commits that it walks. */
  private walk(start: Oid, steps: readonly number[]): Promise<Oid | null> {
    return this.cached(`${start} ${steps.join(' ')}`, async () => {
      const { path, runtime } = this.location;
      const command = gitCommands.commitAt(path, start, steps);
      const options = { timeoutMs: runtime.limits.requestTimeoutMs };
      try {
        return (await this.location.run(command, options)).stdout.toString('latin1').trim();
      } catch (error) {
        if (!(error instanceof GitProcessError)) throw error;
        // There is no such commit, or it is behind more commits than fit into memory.
        if (error.exitCode === 1 || error.isExhausted) return null;
        throw error;
      }
    });
  }

  /** The commit to which an object leads cannot change. */
  private async cached(name: string, find: () => Promise<Oid | null>): Promise<Oid | null> {
    const key = `${await this.location.identity()}\0${name}`;
    const peeled = this.location.runtime.shared(PEELED);
    const known = peeled.get(key);
    if (known !== undefined) return known;
    const commit = await find();
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
    return ABBREVIATION.test(hex) ? this.objects.find(hex, 'commit') : null;
  }

  private async headCommit(): Promise<Oid | null> {
    const { head = await this.refs.head() } = this.location.options;
    const target = head === null ? null : await this.refs.get(BRANCH_PREFIX + head);
    return target === null ? null : this.commitOf(target);
  }
}

/** Parses a revision. Returns null for a text that is none, and for one that leads too far. */
function parseRevision(text: string): Revision | null {
  if (text.length > LONGEST_REF_NAME) return null;
  const begin = text.search(BEGIN_OF_SUFFIXES);
  if (begin < 0) return { name: text, steps: [] };
  const steps = parseSuffixes(text.slice(begin));
  return steps === null ? null : { name: text.slice(0, begin), steps };
}

function parseSuffixes(text: string): number[] | null {
  const steps: number[] = [];
  let end = 0;
  for (const [suffix, sign, digits] of text.matchAll(SUFFIX)) {
    end += suffix.length;
    const number = digits === '' ? 1 : Number(digits);
    if (sign === undefined || number === 0) continue;
    const added = sign === '~' ? number : 1;
    if (steps.length + added > MAX_STEPS) return null;
    steps.push(...Array<number>(added).fill(sign === '~' ? 1 : number));
  }
  return end === text.length ? steps : null;
}

/** The refs that a name may mean, in the order of git. */
function refsNamed(name: string): string[] {
  const whole = [name, `refs/${name}`].filter((ref) =>
    [BRANCH_PREFIX, TAG_PREFIX].some((prefix) => ref.startsWith(prefix)),
  );
  return [...whole, TAG_PREFIX + name, BRANCH_PREFIX + name];
}
