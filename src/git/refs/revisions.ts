import { MIB } from '../model/bytes.js';
import { BRANCH_PREFIX, isOid, isValidRefName, TAG_PREFIX } from '../model/names.js';
import { type Oid, ZERO_OID } from '../model/types.js';
import { COMMITS, type ObjectReader } from '../objects/object-reader.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import type { RefStore } from './ref-store.js';

/** The commits that tag objects lead to. */
const PEELED = new SharedState(() => new ByteCache<Oid>('peeled_revisions', 2 * MIB));

const ABBREVIATION = /^[0-9a-f]{4,39}$/;

/** Resolves names of commits without passing revision expressions of users to git. */
export class Revisions {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly refs: RefStore,
    private readonly objects: ObjectReader,
  ) {}

  /**
   * Resolves a commit id, a branch, a tag (peeled) or an unambiguous abbreviated id of at least four digits, in
   * this order. Returns null for anything else.
   */
  async resolve(rev: string): Promise<Oid | null> {
    const hex = rev.toLowerCase();
    return (
      (isOid(hex) && hex !== ZERO_OID ? await this.commitOf(hex) : null) ??
      (await this.refTarget(`${BRANCH_PREFIX}${rev}`)) ??
      (await this.refTarget(`${TAG_PREFIX}${rev}`)) ??
      (ABBREVIATION.test(hex) ? await this.abbreviated(hex) : null)
    );
  }

  private async refTarget(name: string): Promise<Oid | null> {
    if (!isValidRefName(name)) return null;
    const target = await this.refs.get(name);
    return target === null ? null : this.commitOf(target);
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

  /** Resolves an abbreviated id. git would prefer a ref of that name, hence the check of the result. */
  private async abbreviated(hex: string): Promise<Oid | null> {
    const commit = await this.objects.peelToCommit(hex);
    return commit?.startsWith(hex) ? commit : null;
  }
}
