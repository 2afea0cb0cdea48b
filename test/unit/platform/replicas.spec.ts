import { QueryFailedError, type DataSource } from 'typeorm';
import {
  BatchedReads,
  Database,
  ForeignReplicaError,
  Replicas,
  UnitOfWork,
} from '../../../src/platform/database/index.js';
import {
  type ReadStatement,
  type ReadTarget,
  runOnTarget,
} from '../../../src/platform/database/replicas/read-scope.js';
import { createDatabase, openDataSource, type TestDatabase } from '../../support/database.js';

/** A server that answers in place of a standby, and remembers what it was asked. */
class Standby implements ReadTarget {
  readonly asked: ReadStatement[] = [];

  constructor(private readonly failure?: Error) {}

  read<Row>(statement: ReadStatement): Promise<Row[]> {
    this.asked.push(statement);
    const row = { server: 'standby' } as Row;
    return this.failure === undefined ? Promise.resolve([row]) : Promise.reject(this.failure);
  }
}

const SERVER = `SELECT 'primary' AS server`;

// How far a standby has to be, and what happens when it is not: test/faults/replicas.mjs, with a real one.
describe('reads from a standby', () => {
  let testDatabase: TestDatabase;
  let dataSource: DataSource;
  let database: Database;
  let work: UnitOfWork;

  beforeAll(async () => {
    testDatabase = await createDatabase({ isEmpty: true });
    dataSource = await openDataSource(testDatabase);
    database = new Database(dataSource);
    work = new UnitOfWork(dataSource);
    await database.rows('CREATE TABLE written (id int)');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await testDatabase.drop();
  });

  const server = async (sql = SERVER) =>
    (await database.rows<{ server: string }>(sql)).map((row) => row.server).join();

  it('are those of a marked request', async () => {
    const standby = new Standby();
    expect(await runOnTarget(standby, () => server())).toBe('standby');
    expect(await runOnTarget(standby, () => server(`\n WITH a AS (${SERVER}) TABLE a`))).toBe(
      'standby',
    );
    expect(await server()).toBe('primary');
  });

  it('end once the request has written, in a unit of work or by one statement', async () => {
    const standby = new Standby();
    const afterWork = await runOnTarget(standby, async () => [
      await work.run(() => server()),
      await server(),
    ]);
    expect(afterWork).toEqual(['primary', 'primary']);
    const afterStatement = await runOnTarget(standby, async () => {
      await database.rows('INSERT INTO written VALUES (1)');
      return server();
    });
    expect(afterStatement).toBe('primary');
    expect(standby.asked).toEqual([]);
  });

  it.each([
    ['a connection that was lost', { code: '57P01' }],
    ['a conflict with what is replayed', { code: '40001' }],
    ['a statement that only the primary may run', { code: '25006' }],
  ])('are repeated on the primary after %s', async (_, failure) => {
    const standby = new Standby(Object.assign(new Error('failed'), failure));
    const answers = await runOnTarget(standby, async () => [await server(), await server()]);
    expect(answers).toEqual(['primary', 'primary']);
    expect(standby.asked).toHaveLength(1);
    const inOrder = () => database.rowsInIndexOrder<{ server: string }>(SERVER);
    expect(await runOnTarget(standby, inOrder)).toEqual([{ server: 'primary' }]);
  });

  it('are not repeated when they have taken too long', async () => {
    const standby = new Standby(
      new QueryFailedError('', [], Object.assign(new Error('too long'), { code: '57014' })),
    );
    await expect(runOnTarget(standby, () => server())).rejects.toBeInstanceOf(QueryFailedError);
  });

  it('are shared only among readers of the same server', async () => {
    const standby = new Standby();
    const batches: number[][] = [];
    const reads = new BatchedReads<number, string>({
      key: (question) => question,
      answer: async (questions) => {
        batches.push([...questions]);
        const answer = await server();
        return questions.map(() => answer);
      },
    });
    const onStandby = (question: number) => runOnTarget(standby, () => reads.ask(question));
    const answers = Promise.all([onStandby(1), reads.ask(2), onStandby(3), reads.ask(4)]);
    expect(await answers).toEqual(['standby', 'primary', 'standby', 'primary']);
    expect(batches.sort()).toEqual([
      [1, 3],
      [2, 4],
    ]);
  });

  describe('are refused', () => {
    const settingsOf = ({ url }: TestDatabase) => ({ urls: [url], poolSize: 2, client: {} });
    let replicas: Replicas | undefined;

    afterEach(() => replicas?.onApplicationShutdown());

    it('if the standby is of another database', async () => {
      const other = await createDatabase({ isEmpty: true });
      try {
        replicas = new Replicas(dataSource, settingsOf(other));
        await expect(replicas.check()).rejects.toBeInstanceOf(ForeignReplicaError);
        await replicas.run(async () => expect(await server()).toBe('primary'));
      } finally {
        await replicas?.onApplicationShutdown();
        replicas = undefined;
        await other.drop();
      }
    });

    it('if the server is not a standby', async () => {
      replicas = new Replicas(dataSource, settingsOf(testDatabase));
      expect(await replicas.states()).toMatchObject([{ problem: 'primary', lagBytes: null }]);
      await replicas.check();
      await replicas.run(async () => expect(await server()).toBe('primary'));
    });
  });
});
