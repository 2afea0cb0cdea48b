import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type EntityMetadata } from 'typeorm';
import { dataSourceOptions } from '../../../ormconfig.js';
import type { Advance } from '../../backup/index.js';
import { AuditLog } from '../../modules/audit/index.js';
import { UsersRepository } from '../../modules/users/index.js';
import { Database, UnitOfWork } from '../../platform/database/index.js';
import { type Secrets, WrongKeyError } from '../../platform/secrets/index.js';
import { CommandError } from '../errors.js';

/** Rows of one statement. */
const BATCH = 500;
/** Names of columns, by which what is made with the key is found in every table, also in those of later versions. */
const SEALED = 'Sealed';
const DIGEST = 'Digest';

const APPLICATION_NAME = 'trellis-rotation';
const NAME_PARAMETER = 'application_name';
/** The server ends a session a moment after its process. */
const ENDING_MS = 3_000;
const POLL_MS = 100;
/** Longer than a commit takes. */
const LOCK_MS = 10_000;

/** A column that is sealed, and the digest of the same secret if it has one. */
interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly sealed: string;
  readonly digest: string | undefined;
}

interface SealedRow {
  readonly id: number;
  readonly sealed: string;
}

/** Replaces the key that secrets in the database are encrypted and digested with. */
export class KeyRotation {
  private readonly database: Database;
  private readonly work: UnitOfWork;
  private readonly audit: AuditLog;

  /** @param serviceName how an address with a name of its own calls the sessions of the service */
  private constructor(
    private readonly dataSource: DataSource,
    private readonly serviceName: string | null,
  ) {
    this.database = new Database(dataSource);
    this.work = new UnitOfWork(dataSource);
    this.audit = new AuditLog(this.database);
    this.audit.actAsCommandLine();
  }

  /** Opens connections for as long as `work` takes. */
  static async with<T>(
    databaseUrl: string,
    work: (rotation: KeyRotation) => Promise<T>,
  ): Promise<T> {
    const { url, name } = withoutName(databaseUrl);
    const options = dataSourceOptions({
      url,
      poolSize: 2,
      statementTimeoutMs: 0,
      applicationName: APPLICATION_NAME,
    });
    const dataSource = await new DataSource(options).initialize();
    try {
      return await work(new KeyRotation(dataSource, name));
    } finally {
      await dataSource.destroy();
    }
  }

  /** Whether the key of these secrets opens what the database has; true for a database without a user. */
  async isKey(secrets: Secrets): Promise<boolean> {
    const first = await new UsersRepository(this.database).findFirst();
    return first === null || secrets.opens(first.privateTokenSealed);
  }

  async countRows(): Promise<number> {
    let sum = 0;
    for (const { table } of this.columns()) {
      const [row] = await this.database.rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${table}`,
      );
      sum += row?.count ?? 0;
    }
    return sum;
  }

  /**
   * Encrypts and digests everything again, in one transaction. No other process may use the database: it would go on
   * with the old key. A process that starts meanwhile waits, and nothing is changed; one that starts with the commit
   * waits, and then ends since it has the wrong key.
   * @param makeNext called when no other run can remove or replace the key that it makes
   * @throws CommandError while others use the database; for what the old key does not open
   * @throws WrongKeyError when another run has replaced the key meanwhile
   */
  reencrypt(from: Secrets, makeNext: () => Promise<Secrets>, advance: Advance): Promise<void> {
    const columns = this.columns();
    const rewrite = async (): Promise<void> => {
      await new UsersRepository(this.database).lockFirstStart();
      if (!(await this.isKey(from))) throw new WrongKeyError();
      await this.requireAlone();
      const to = await makeNext();
      for (const { table } of columns) {
        await this.database.rows(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
      }
      for (const column of columns) await this.reencryptColumn(column, from, to, advance);
      await this.audit.record({ action: 'secret_key.rotated', target: { type: 'secret_key' } });
      await this.requireAlone();
    };
    return this.work.run(rewrite, { retry: false });
  }

  /**
   * Runs `work` if the database still has the key of these secrets, while no run can change that. Waits for a commit that is
   * under way, as it may be after its connection was lost.
   * @throws Error when that takes too long
   */
  whileKeyIs(secrets: Secrets, work: () => Promise<void>): Promise<void> {
    const runLocked = async (): Promise<void> => {
      await this.database.rows(`SET LOCAL lock_timeout = ${LOCK_MS}`);
      await new UsersRepository(this.database).lockFirstStart();
      if (await this.isKey(secrets)) await work();
    };
    return this.work.run(runLocked, { retry: false });
  }

  private async reencryptColumn(
    column: SealedColumn,
    from: Secrets,
    to: Secrets,
    advance: Advance,
  ): Promise<void> {
    const { table, key, sealed, digest } = column;
    for (let after = 0; ;) {
      const rows = await this.database.rows<SealedRow>(
        `SELECT ${key} AS id, ${sealed} AS sealed FROM ${table}
          WHERE ${key} > $1 AND ${sealed} IS NOT NULL ORDER BY ${key} LIMIT ${BATCH}`,
        [after],
      );
      const plain = rows.map((row) => openRow(row, column, from));
      await this.database.rows(
        `UPDATE ${table} SET ${sealed} = changed.sealed${digest === undefined ? '' : `, ${digest} = changed.digest`}
           FROM unnest($1::int[], $2::text[], $3::text[]) AS changed (id, sealed, digest)
          WHERE ${table}.${key} = changed.id`,
        [
          rows.map(({ id }) => id),
          plain.map((text) => to.seal(text)),
          plain.map((text) => (digest === undefined ? null : to.digest(text))),
        ],
      );
      advance(rows.length);
      const last = rows.at(-1);
      if (rows.length < BATCH || last === undefined) return;
      after = last.id;
    }
  }

  /** @throws Error (a fault) for a digest whose secret is not sealed, too, so that it cannot be made again */
  private columns(): SealedColumn[] {
    return this.dataSource.entityMetadatas.flatMap((entity) => {
      const named = (end: string) =>
        entity.columns.filter((column) => column.propertyName.endsWith(end));
      const digests = new Map(
        named(DIGEST).map(({ propertyName, databaseName }) => [
          propertyName.slice(0, -DIGEST.length),
          databaseName,
        ]),
      );
      const sealed = named(SEALED).map(({ propertyName, databaseName }): SealedColumn => {
        const secret = propertyName.slice(0, -SEALED.length);
        const digest = digests.get(secret);
        digests.delete(secret);
        return { table: entity.tableName, key: keyOf(entity), sealed: databaseName, digest };
      });
      const [lost] = digests.values();
      if (lost === undefined) return sealed;
      throw new Error(`${entity.tableName}.${lost} cannot be made again with another key`);
    });
  }

  private async requireAlone(): Promise<void> {
    const deadline = Date.now() + ENDING_MS;
    while ((await this.countOthers()) > 0) {
      if (Date.now() > deadline) {
        throw new CommandError(
          'The service uses the database: stop all its processes first, they would go on with the old key.',
        );
      }
      await delay(POLL_MS);
    }
  }

  private async countOthers(): Promise<number> {
    // A transaction would go on seeing the sessions that it has seen first.
    await this.database.rows('SELECT pg_stat_clear_snapshot()');
    const [row] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND application_name <> '${APPLICATION_NAME}'
          AND (application_name LIKE 'trellis%' OR application_name = $1)`,
      [this.serviceName],
    );
    return row?.count ?? 0;
  }
}

/** Takes the name of sessions out of an address, where it would replace the one of the rotation. */
function withoutName(databaseUrl: string): { url: string; name: string | null } {
  // Not as a URL, which has no form for several hosts.
  const [address = '', query] = databaseUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  const name = parameters.get(NAME_PARAMETER);
  if (name === null) return { url: databaseUrl, name };
  parameters.delete(NAME_PARAMETER);
  // Sessions of other programs have no name.
  return { url: `${address}?${parameters.toString()}`, name: name === '' ? null : name };
}

function keyOf({ tableName, primaryColumns }: EntityMetadata): string {
  const [key] = primaryColumns;
  if (key === undefined) throw new Error(`${tableName} has no primary key`);
  return key.databaseName;
}

function openRow({ id, sealed }: SealedRow, column: SealedColumn, secrets: Secrets): string {
  try {
    return secrets.open(sealed);
  } catch {
    const name = `${column.table}.${column.sealed}`;
    throw new CommandError(`The key does not open ${name} of row ${id}. Nothing was changed.`);
  }
}
