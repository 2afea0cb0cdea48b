import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Oid, type RecordedRefs, type RefUpdate, ZERO_OID } from '../../../git/index.js';
import { ProcessIdentity } from '../../../platform/cluster/index.js';
import { Database } from '../../../platform/database/index.js';
import { unavailable } from '../../../platform/errors/index.js';

/** Longer than a network file system may show older values. */
const KEPT = `interval '1 minute'`;

const RECORD = `
  WITH expired AS (
    DELETE FROM ref_moves WHERE project_id = $1 AND created_at < clock_timestamp() - ${KEPT})
  INSERT INTO ref_moves (project_id, process, targets) VALUES ($1, $2, $3)`;

/** The version at which it is found, what was recorded, in its order, and then what pushes under way are about to record. */
const FIND_RECORDED = `
  SELECT 'version' AS state, false AS "isOwn", NULL::jsonb AS targets, NULL::jsonb AS updates,
         refs_version AS id
    FROM projects WHERE id = $1
   UNION ALL
  SELECT 'recorded', process = $2, targets, NULL, id
    FROM ref_moves WHERE project_id = $1 AND id > $3 AND created_at > clock_timestamp() - ${KEPT}
   UNION ALL
  SELECT 'intended', false, NULL, updates, id FROM push_intents WHERE project_id = $1
   ORDER BY 1 DESC, id`;

const RETRY_SECONDS = 1;

/** Of more projects, what was recorded within the last minute is compared again. */
const MAX_PROJECTS = 10_000;

type Row =
  | { state: 'version'; id: string }
  | { state: 'recorded'; id: string; isOwn: boolean; targets: Record<string, Oid | null> }
  | { state: 'intended'; updates: RefUpdate[] };

/** Records what pushes make of refs, for processes whose file systems may show it late. */
@Injectable()
export class RefMovesRepository {
  /** By project the ID of the latest that the file system of this process has shown, and all before. */
  private readonly shown = new LRUCache<number, string>({ max: MAX_PROJECTS });
  /** By what was found the ID of the latest of it. */
  private readonly latest = new WeakMap<RecordedRefs, string>();

  constructor(
    private readonly database: Database,
    private readonly identity: ProcessIdentity,
  ) {}

  /** Requires the push lock, in the unit of work that records the push. */
  async record(projectId: number, updates: readonly RefUpdate[]): Promise<void> {
    if (updates.length === 0) return;
    const targets = updates.map(({ ref, newOid }) => [ref, targetOf(newOid)]);
    const parameters = [projectId, this.identity.id, JSON.stringify(Object.fromEntries(targets))];
    await this.database.rows(RECORD, parameters);
  }

  /**
   * Finds what other processes have recorded within the last minute, and the files are not known to have shown.
   * @param version up to which it has to be found
   * @throws DomainError unavailable: a standby that has failed since has shown the version, and the primary does not yet
   */
  async findRecorded(projectId: number, version: number): Promise<RecordedRefs> {
    const parameters = [projectId, this.identity.id, this.shown.get(projectId) ?? '0'];
    const rows = await this.database.rows<Row>(FIND_RECORDED, parameters);
    const recorded = new Map<string, Set<Oid | null>>();
    for (const row of rows) {
      if (row.state === 'version') {
        if (Number(row.id) < version) throw unavailable(RETRY_SECONDS);
        continue;
      }
      if (row.state === 'intended') {
        for (const { ref, newOid } of row.updates) recorded.get(ref)?.add(targetOf(newOid));
        continue;
      }
      this.latest.set(recorded, row.id);
      for (const [ref, target] of Object.entries(row.targets)) {
        if (row.isOwn) recorded.delete(ref);
        else recorded.set(ref, new Set([target]));
      }
    }
    return recorded;
  }

  /**
   * Remembers that the files have shown what was found. The push lock is held until the commit, so nothing is recorded
   * before it any more. A large push is compared once by each process then, rather than after each push of a minute.
   */
  noteShown(projectId: number, recorded: RecordedRefs): void {
    const latest = this.latest.get(recorded);
    if (latest !== undefined) this.shown.set(projectId, latest);
  }

  /** Deletes what no process needs any more of projects without later pushes. */
  async deleteExpired(): Promise<void> {
    await this.database.rows(
      `DELETE FROM ref_moves WHERE created_at < clock_timestamp() - ${KEPT}`,
    );
  }
}

const targetOf = (oid: Oid): Oid | null => (oid === ZERO_OID ? null : oid);
