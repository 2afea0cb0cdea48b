import type { EventEmitter } from 'node:events';
import { PreparingClient } from '../../../src/platform/database/index.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

const describeError = ({ code, message }: Error & { code?: string }): string => code ?? message;

describe('the transactions of a connection', () => {
  let database: TestDatabase;
  let client: PreparingClient;
  let roundTrips = 0;

  beforeAll(async () => {
    database = await createDatabase();
  });
  beforeEach(async () => {
    client = new PreparingClient({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('DROP TABLE IF EXISTS numbers');
    await client.query('CREATE TABLE numbers (value int PRIMARY KEY)');
    const { connection } = client as unknown as { connection: EventEmitter };
    connection.on('readyForQuery', () => (roundTrips += 1));
    roundTrips = 0;
  });
  afterEach(() => client.end());
  afterAll(() => database.drop());

  const begin = () => client.query('START TRANSACTION');
  const insert = (value: unknown) =>
    client.query<{ value: number }>('INSERT INTO numbers VALUES ($1) RETURNING value', [value]);
  const stored = async () =>
    (await client.query<{ value: number }>('SELECT value FROM numbers ORDER BY value')).rows.map(
      ({ value }) => value,
    );
  const settled = async (statements: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(statements)).map((one) =>
      one.status === 'fulfilled' ? 'done' : describeError(one.reason as Error & { code?: string }),
    );

  it('start with their first statement', async () => {
    await begin();
    await insert(1);
    expect(roundTrips).toBe(1);
    await client.query('ROLLBACK');
    expect(await stored()).toEqual([]);
  });

  it.each(['COMMIT', 'ROLLBACK'])('send nothing without a statement (%s)', async (end) => {
    await begin();
    await client.query(end);
    expect(roundTrips).toBe(0);
    await insert(1);
    expect(await stored()).toEqual([1]);
  });

  it('send together the statements of one turn, COMMIT included', async () => {
    await begin();
    const [first, second] = await Promise.all([insert(1), insert(2), client.query('COMMIT')]);
    expect(roundTrips).toBe(1);
    expect([first.rows, second.rows]).toEqual([[{ value: 1 }], [{ value: 2 }]]);
    expect(await stored()).toEqual([1, 2]);
  });

  it('send together the statements issued while others run', async () => {
    await begin();
    const first = insert(1);
    await new Promise((resolve) => process.nextTick(resolve));
    await Promise.all([first, insert(2), insert(3)]);
    expect(roundTrips).toBe(2);
    await client.query('COMMIT');
    expect(await stored()).toEqual([1, 2, 3]);
  });

  it('run nothing after a failure', async () => {
    await insert(2);
    await begin();
    const outcomes = settled([insert(1), insert(2), insert(3), client.query('COMMIT')]);
    // What is not run fails for the same reason: the caller may look at any of them.
    expect(await outcomes).toEqual(['done', '23505', '23505', '23505']);
    await client.query('ROLLBACK');
    expect(await stored()).toEqual([2]);
    // What was skipped is prepared when it runs for the first time.
    await insert(3);
    expect(await stored()).toEqual([2, 3]);
  });

  it('prepare a statement that was skipped at its first run', async () => {
    await begin();
    const late = () => client.query('SELECT $1::int AS late', [5]);
    const failing = client.query('SELECT 1 / $1::int', [0]);
    expect(await settled([failing, late()])).toEqual(['22012', '22012']);
    await client.query('ROLLBACK');
    expect((await late()).rows).toEqual([{ late: 5 }]);
  });

  it('run nothing after a value that cannot be sent', async () => {
    const endless: Record<string, unknown> = {};
    endless['itself'] = endless;
    await begin();
    const outcomes = await settled([insert(1), insert(endless), insert(3)]);
    expect(outcomes[0]).toBe('done');
    for (const outcome of outcomes.slice(1)) expect(outcome).toMatch(/circular/);
    // PostgreSQL has seen no failure.
    const texts = ['INSERT INTO numbers VALUES (4)', 'COMMIT'];
    const later = await settled(texts.map((text) => client.query(text)));
    for (const outcome of later) expect(outcome).toMatch(/circular/);
    await client.query('ROLLBACK');
    expect(await stored()).toEqual([]);
    await insert(6);
    expect(await stored()).toEqual([6]);
  });

  it('run nothing after a BEGIN that failed', async () => {
    // The name under which the connection prepares BEGIN.
    await client.query('PREPARE trellis_begin AS SELECT 1');
    await begin();
    const first = await settled([client.query('INSERT INTO numbers VALUES (1)'), insert(2)]);
    const later = await settled([insert(3), client.query('COMMIT')]);
    expect([...first, ...later]).toEqual(['42P05', '42P05', '42P05', '42P05']);
    await client.query('ROLLBACK');
    expect(await stored()).toEqual([]);
    await client.query('DEALLOCATE trellis_begin');
    await begin();
    await Promise.all([insert(4), client.query('COMMIT')]);
    expect(await stored()).toEqual([4]);
  });

  it('run texts of several statements', async () => {
    await begin();
    await Promise.all([
      insert(1),
      client.query('INSERT INTO numbers VALUES (2); INSERT INTO numbers VALUES (3)'),
      insert(4),
    ]);
    await client.query('COMMIT');
    expect(await stored()).toEqual([1, 2, 3, 4]);
  });

  it('fail as a whole when the connection breaks', async () => {
    await begin();
    const end = () => client.query('SELECT pg_terminate_backend(pg_backend_pid(), $1)', [0]);
    const outcomes = await settled([insert(1), end(), insert(2)]);
    expect(outcomes).toEqual(['done', '57P01', '57P01']);
    await client.end().catch(() => undefined);
    client = new PreparingClient({ connectionString: database.url });
    await client.connect();
    expect(await stored()).toEqual([]);
  });

  it('refuse statements after their end', async () => {
    await begin();
    const outcomes = settled([insert(1), client.query('COMMIT'), insert(2)]);
    expect(await outcomes).toEqual(['done', 'done', 'The transaction has ended']);
    expect(await stored()).toEqual([1]);
  });
});
