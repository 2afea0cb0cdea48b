import { type FileHandle, open, stat } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import {
  type Git,
  isAbsent,
  isBranchOrTag,
  listObjectFiles,
  type Ref,
  RepositoryMissingError,
  repositoryTexts,
  ZERO_OID,
} from '../git/index.js';
import { hashedFolder, REPOSITORY_LOCK } from '../modules/storage/index.js';
import { groupBy } from '../platform/collections/index.js';
import type { Config } from '../platform/config/index.js';
import type { DatabaseSnapshot } from './database/database-snapshot.js';
import type { BackupTarget } from './files/backup-target.js';
import { REPOSITORIES } from './manifest.js';
import type { Advance } from './progress.js';

const BATCH = 500;
/** Housekeeping replaces packs by fewer ones, so it must have ended after this many attempts. */
const MAX_ATTEMPTS = 20;
/** Refs that the rows of the snapshot determine. */
const MERGE_REQUESTS = 'refs/merge-requests/';

/** A project whose repository is copied. */
export interface BackedUpProject {
  readonly id: number;
  readonly storage: string;
  /** The branch that HEAD points at. */
  readonly head: string;
  readonly isReady: boolean;
}

/** How `PointHeadJob` chooses HEAD. */
const PROJECTS = `
  SELECT id, storage, coalesce(default_branch, initial_branch, 'master') AS head,
         repository_state = 'ready' AS "isReady"
    FROM projects WHERE deleted_at IS NULL ORDER BY id`;

const MERGE_REQUEST_REFS = `
  SELECT m.project_id AS "projectId", m.iid, v.head_commit_sha AS target
    FROM merge_requests m JOIN merge_request_versions v ON v.id = m.latest_version_id
   WHERE m.project_id = ANY($1)`;

/**
 * What has moved refs since the snapshot, oldest first: $1 the last event and $2 the intents of the snapshot, $3 projects.
 * A push is an intent before it moves a ref, and an event afterwards. The schema of an older version, of which a backup is
 * made before an upgrade, has no `pushed_ref`.
 */
const REF_CHANGES = `
  SELECT "projectId", ref, before FROM (
    SELECT project_id AS "projectId", moved ->> 'ref' AS ref,
           coalesce(moved ->> 'oldOid', moved ->> 'before') AS before, 0 AS part, id
      FROM events, LATERAL (SELECT to_jsonb(events) AS columns) AS event,
           LATERAL (SELECT coalesce(nullif(columns -> 'pushed_ref', 'null'), columns -> 'data') AS moved)
                AS change
     WHERE id > $1 AND project_id = ANY($3) AND moved ? 'ref'
    UNION ALL
    SELECT project_id, change ->> 'ref', change ->> 'oldOid', 1, id
      FROM push_intents, jsonb_array_elements(updates) AS change
     WHERE id <> ALL($2::bigint[]) AND project_id = ANY($3)) AS changes
   ORDER BY part, id`;

interface RefChange {
  readonly projectId: number;
  readonly ref: string;
  readonly before: string;
}

interface MergeRequestRef {
  readonly projectId: number;
  readonly iid: number;
  readonly target: string;
}

export interface RepositoryBackupOptions {
  readonly config: Config;
  readonly git: Git;
  readonly snapshot: DatabaseSnapshot;
  /** A connection beside that of the snapshot. */
  readonly live: pg.Client;
  readonly target: BackupTarget;
}

/**
 * Copies repositories as they were at the moment of a database snapshot, while the service goes on
 * (docs/decisions/0050-backup.md#refs).
 */
export class RepositoryBackup {
  /** Projects whose repository is not on the disk. */
  readonly missing: number[] = [];

  constructor(private readonly options: RepositoryBackupOptions) {}

  projects(): Promise<BackedUpProject[]> {
    return this.options.snapshot.rows<BackedUpProject & pg.QueryResultRow>(PROJECTS);
  }

  /**
   * Writes the refs of all repositories as they were at the snapshot. Soon after it, since everything that has moved refs
   * since then is read again.
   */
  async copyRefs(projects: readonly BackedUpProject[], advance: Advance): Promise<void> {
    const { snapshot } = this.options;
    const [position] = await snapshot.rows<{ event: string; intents: string[] }>(
      `SELECT (SELECT coalesce(max(id), 0)::text FROM events) AS event,
              ARRAY(SELECT id::text FROM push_intents) AS intents`,
    );
    if (position === undefined) throw new Error('PostgreSQL returned no row');
    for (let at = 0; at < projects.length; at += BATCH) {
      const batch = projects.slice(at, at + BATCH);
      await this.copyRefsOf(batch, position);
      advance(batch.length);
    }
  }

  /** Copies the objects of a repository. */
  async copyObjects(project: BackedUpProject): Promise<void> {
    // A repository that is being filled is empty in the backup; its job fills it anew.
    if (!project.isReady || this.missing.includes(project.id)) return;
    const copied = new Set<string>();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      let isWhole = true;
      for (const group of await this.listObjects(project)) {
        const [name = ''] = group;
        if (copied.has(name)) continue;
        if (await this.copyGroup(project, group)) copied.add(name);
        else isWhole = false;
      }
      // What was packed meanwhile is listed again, with the packs that have replaced it.
      if (isWhole) return;
    }
    throw new Error(`The repository of project ${String(project.id)} is packed again and again`);
  }

  private async copyRefsOf(
    projects: readonly BackedUpProject[],
    position: { event: string; intents: string[] },
  ): Promise<void> {
    const { snapshot, live, target } = this.options;
    const ids = projects.map(({ id }) => id);
    const current = new Map<number, readonly Ref[]>();
    for (const project of projects) current.set(project.id, await this.readRefs(project));
    // After the refs: what has moved one that was read has a row by now.
    const { rows: changes } = await live.query<RefChange>(REF_CHANGES, [
      position.event,
      position.intents,
      ids,
    ]);
    const heads = await snapshot.rows<MergeRequestRef & pg.QueryResultRow>(MERGE_REQUEST_REFS, [
      ids,
    ]);
    const changesOf = groupBy(changes, ({ projectId }) => projectId);
    const headsOf = groupBy(heads, ({ projectId }) => projectId);
    for (const project of projects) {
      const refs = refsAtSnapshot(
        current.get(project.id) ?? [],
        changesOf.get(project.id) ?? [],
        headsOf.get(project.id) ?? [],
      );
      const texts = repositoryTexts(project.head, project.isReady ? refs : []);
      for (const [name, text] of Object.entries(texts)) {
        await target.addText(`${backupPath(project)}/${name}`, text);
      }
    }
  }

  private async readRefs(project: BackedUpProject): Promise<readonly Ref[]> {
    try {
      return await this.options.git.repository(this.pathOf(project)).refs.list('refs/');
    } catch (error) {
      if (!(error instanceof RepositoryMissingError)) throw error;
      this.missing.push(project.id);
      return [];
    }
  }

  /** Lists the files of the objects while no push adds any: an object is listed with all that it refers to. */
  private async listObjects(project: BackedUpProject): Promise<string[][]> {
    const { live } = this.options;
    await live.query('BEGIN');
    try {
      await live.query('SELECT pg_advisory_xact_lock($1, $2)', [REPOSITORY_LOCK, project.id]);
      return await listObjectFiles(this.pathOf(project));
    } finally {
      await live.query('COMMIT');
    }
  }

  /** Copies files that belong together. @returns false when one of them was deleted meanwhile */
  private async copyGroup(project: BackedUpProject, group: readonly string[]): Promise<boolean> {
    const { target } = this.options;
    const folder = this.pathOf(project);
    const files: FileHandle[] = [];
    try {
      // All are opened before one is copied, so that a pack is whole even if it is deleted meanwhile.
      for (const name of group) files.push(await open(path.join(folder, name)));
      for (const [index, file] of files.entries()) {
        const name = `${backupPath(project)}/${group[index] ?? ''}`;
        const { size } = await file.stat();
        if (!(await target.reuse(name, size))) await target.addFile(name, file);
      }
      return true;
    } catch (error) {
      if (!isAbsent(error)) throw error;
      await stat(folder);
      return false;
    } finally {
      await Promise.all(files.map((file) => file.close()));
    }
  }

  private pathOf({ id, storage }: BackedUpProject): string {
    const root = this.options.config.storages.get(storage);
    if (root === undefined) throw new Error(`No storage is configured under the name ${storage}`);
    return path.join(hashedFolder(root, id), `${String(id)}.git`);
  }
}

/** The folder of a repository in a backup: as below the root of its storage. */
const backupPath = ({ id, storage }: BackedUpProject): string =>
  `${hashedFolder(`${REPOSITORIES}/${storage}`, id)}/${String(id)}.git`;

/**
 * Computes the refs at the moment of a snapshot.
 * @param current refs that were read after the snapshot
 * @param changes since the snapshot, oldest first: all of branches and tags that were made before the refs were read, and
 * maybe later ones. What is known of other refs is incomplete, and they are kept as they were read
 * @param heads the refs of merge requests by the rows of the snapshot
 */
export function refsAtSnapshot(
  current: readonly Ref[],
  changes: readonly RefChange[],
  heads: readonly MergeRequestRef[],
): Ref[] {
  const targets = new Map(current.map(({ name, target }) => [name, target]));
  for (const { ref, before } of changes.toReversed()) {
    if (!isBranchOrTag(ref)) continue;
    if (before === ZERO_OID) targets.delete(ref);
    else targets.set(ref, before);
  }
  const others = [...targets].filter(([name]) => !name.startsWith(MERGE_REQUESTS));
  return [
    ...others.map(([name, target]): Ref => ({ name, target })),
    ...heads.map(({ iid, target }): Ref => ({
      name: `${MERGE_REQUESTS}${String(iid)}/head`,
      target,
    })),
  ];
}
