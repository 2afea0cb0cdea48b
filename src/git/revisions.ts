import { ZERO_OID, type Oid } from './types.js';
import { BRANCH_PREFIX, isOid, isValidRefName, TAG_PREFIX } from './names.js';
import type { ObjectReader } from './object-reader.js';
import type { RefStore } from './ref-store.js';
import type { RepositoryLocation } from './runtime.js';

const ABBREVIATION = /^[0-9a-f]{4,39}$/;

/** Finds the commit a user means, without ever giving git a revision expression of theirs. */
export class Revisions {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly refs: RefStore,
    private readonly objects: ObjectReader,
  ) {}

  /**
   * In this order: a whole commit id, a branch, a tag (peeled), an unambiguous abbreviated id of at
   * least four digits. Anything else is null.
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

  /** The commit an object is or a tag object leads to, else null. It cannot change, so it is remembered. */
  async commitOf(oid: Oid): Promise<Oid | null> {
    const { commits, facts } = this.location.runtime.caches;
    const identity = await this.location.identity();
    if (commits.get(`${identity}\0${oid}`)) return oid;
    const key = `peeled\0${identity}\0${oid}`;
    const known = facts.get(key) as Oid | undefined;
    if (known !== undefined) return known;
    const commit = await this.objects.peelToCommit(oid);
    if (commit !== null) facts.set(key, commit, 80);
    return commit;
  }

  /** git would take a ref of that name before an abbreviation, hence the second look. */
  private async abbreviated(hex: string): Promise<Oid | null> {
    const commit = await this.objects.peelToCommit(hex);
    return commit?.startsWith(hex) ? commit : null;
  }
}
