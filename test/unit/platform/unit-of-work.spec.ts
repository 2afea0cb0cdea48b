import type { DataSource } from 'typeorm';
import { Deferred } from '../../../src/platform/async/index.js';
import { Database, UnitOfWork, violatedUnique } from '../../../src/platform/database/index.js';
import { numbers } from '../git/support/odd-history.js';
import { createDatabase, openDataSource, type TestDatabase } from '../../support/database.js';

describe('the unit of work', () => {
  let testDatabase: TestDatabase;
  let dataSource: DataSource;
  let database: Database;
  let work: UnitOfWork;

  beforeAll(async () => {
    testDatabase = await createDatabase();
    dataSource = await openDataSource(testDatabase);
    database = new Database(dataSource);
    work = new UnitOfWork(dataSource);
    await database.rows('CREATE TABLE counters (id int PRIMARY KEY, value int NOT NULL)');
  });
  beforeEach(async () => {
    await database.rows('TRUNCATE counters');
    await database.rows('INSERT INTO counters VALUES (1, 0), (2, 0)');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await testDatabase.drop();
  });

  const set = (id: number, value: number) =>
    database.rows('UPDATE counters SET value = $2 WHERE id = $1', [id, value]);
  const values = async () =>
    (await database.rows<{ value: number }>('SELECT value FROM counters ORDER BY id')).map(
      ({ value }) => value,
    );

  it('commits all its writes', async () => {
    await work.run(async () => {
      await set(1, 1);
      await set(2, 2);
      expect(await work.detached(values)).toEqual([0, 0]);
    });
    expect(await values()).toEqual([1, 2]);
  });

  it('rolls back all its writes after a failure, nested units included', async () => {
    const failing = work.run(async () => {
      await work.run(() => set(1, 1));
      throw new Error('enough');
    });
    await expect(failing).rejects.toThrow('enough');
    expect(await values()).toEqual([0, 0]);
  });

  const setAtCommit = (id: number, value: number) =>
    database.runAtCommit('UPDATE counters SET value = $2 WHERE id = $1', [id, value]);

  it('runs deferred work at its commit, in order', async () => {
    await work.run(async () => {
      await setAtCommit(1, 1);
      await work.run(() => setAtCommit(1, 2));
      expect(await values()).toEqual([0, 0]);
      await set(2, 5);
    });
    expect(await values()).toEqual([2, 5]);
  });

  it('commits nothing when deferred work fails', async () => {
    const failing = work.run(async () => {
      await set(2, 5);
      await database.runAtCommit('INSERT INTO counters VALUES ($1, 0)', [1]);
    });
    expect(violatedUnique(await failing.catch((error: unknown) => error))).toBe('counters_pkey');
    expect(await values()).toEqual([0, 0]);
  });

  it('discards deferred work after a failure', async () => {
    const failing = work.run(async () => {
      await setAtCommit(1, 1);
      throw new Error('enough');
    });
    await expect(failing).rejects.toThrow('enough');
    await work.run(() => set(2, 5));
    expect(await values()).toEqual([0, 5]);
  });

  describe('with a deferred statement', () => {
    const raise = (): PromiseLike<number | undefined> =>
      database.defer(
        'UPDATE counters SET value = value + 1 WHERE id = $1 RETURNING value',
        [1],
        ([row]: { value: number }[]) => row?.value,
      );
    const fail = (): PromiseLike<unknown> =>
      database.defer('INSERT INTO counters VALUES (1, 0)', [], (rows) => rows);

    it('sends it before the next statement', async () => {
      const { raised } = await work.run(async () => {
        const deferred = { raised: raise() };
        await set(1, 4);
        return deferred;
      });
      expect(await raised).toBe(1);
      expect(await values()).toEqual([4, 0]);
    });

    it('sends it before the next statement of TypeORM', async () => {
      await work.run(async () => {
        raise();
        await database.manager.query('UPDATE counters SET value = 4 WHERE id = 1');
      });
      expect(await values()).toEqual([4, 0]);
    });

    it('sends it at the commit if there is none, in the order of what was left for it', async () => {
      const { raised } = await work.run(async () => {
        await setAtCommit(1, 4);
        return { raised: raise() };
      });
      expect(await raised).toBe(5);
    });

    it('sends it when its result is awaited, once', async () => {
      await work.run(async () => {
        expect(await raise()).toBe(1);
        expect(await values()).toEqual([1, 0]);
      });
      expect(await values()).toEqual([1, 0]);
    });

    it('commits nothing when that fails, and throws its error', async () => {
      const units = [
        async () => {
          await set(2, 5);
          fail();
        },
        async () => {
          fail();
          await set(2, 5);
        },
      ];
      for (const unit of units) {
        const error: unknown = await work.run(unit).catch((failure: unknown) => failure);
        expect(violatedUnique(error)).toBe('counters_pkey');
      }
      expect(await values()).toEqual([0, 0]);
    });

    it('does not send it after a failure', async () => {
      const deferred: PromiseLike<unknown>[] = [];
      const failing = work.run(() => {
        deferred.push(raise());
        return Promise.reject(new Error('enough'));
      });
      await expect(failing).rejects.toThrow('enough');
      await expect(Promise.all(deferred)).rejects.toThrow();
      expect(await values()).toEqual([0, 0]);
      expect(raise).toThrow('No unit of work');
    });
  });

  it('runs deferred work at once outside of a unit', async () => {
    await setAtCommit(1, 1);
    expect(await values()).toEqual([1, 0]);
  });

  it('keeps writes outside of it', async () => {
    const failing = work.run(async () => {
      await set(1, 1);
      await work.detached(() => set(2, 2));
      throw new Error('enough');
    });
    await expect(failing).rejects.toThrow('enough');
    expect(await values()).toEqual([0, 2]);
  });

  it('continues when a concurrent one ends, and starts anew after the last', async () => {
    const begun = new Deferred<undefined>();
    const goOn = new Deferred<undefined>();
    const slow = work.run(async () => {
      await set(1, 1);
      begun.resolve(undefined);
      await goOn.promise;
      await set(2, 2);
      expect(await values()).toEqual([1, 2]);
      expect(await work.detached(values)).toEqual([0, 7]);
      throw new Error('enough');
    });
    await begun.promise;
    await work.run(() => set(2, 7));
    goOn.resolve(undefined);
    await expect(slow).rejects.toThrow('enough');
    const another = work.run(async () => {
      await set(1, 3);
      throw new Error('no');
    });
    await expect(another).rejects.toThrow('no');
    expect(await values()).toEqual([0, 7]);
  });

  it('contains only its own statements under concurrency', async () => {
    const outside: unknown[] = [];
    const strays: unknown[] = [];
    const random = numbers(1);
    const pause = (): Promise<void> =>
      random(2) === 0 ? Promise.resolve() : new Promise((resolve) => setImmediate(resolve));
    const unit = () =>
      work.run(async () => {
        const own = database.manager;
        for (let step = 0; step < 5; step += 1) {
          await pause();
          if (database.manager !== own) strays.push(step);
        }
      });
    const visitor = async (): Promise<void> => {
      for (let step = 0; step < 3; step += 1) {
        await pause();
        if (database.manager !== dataSource.manager) outside.push(step);
        if (random(2) === 0) await unit();
        if (database.manager !== dataSource.manager) outside.push('after a unit');
      }
    };
    for (let round = 0; round < 60; round += 1) {
      await Promise.all(Array.from({ length: 1 + (round % 4) }, visitor));
    }
    expect({ strays, outside }).toEqual({ strays: [], outside: [] });
  });

  it('runs again after a deadlock', async () => {
    let runs = 0;
    let waiting: (() => void) | undefined;
    const both = new Promise<void>((resolve) => (waiting = resolve));
    let arrived = 0;
    const crossing = (first: number, second: number) =>
      work.run(async () => {
        runs += 1;
        await database.rows('UPDATE counters SET value = value + 1 WHERE id = $1', [first]);
        arrived += 1;
        if (arrived === 2) waiting?.();
        await both;
        await database.rows('UPDATE counters SET value = value + 1 WHERE id = $1', [second]);
      });
    await Promise.all([crossing(1, 2), crossing(2, 1)]);
    expect(runs).toBeGreaterThan(2);
    expect(await values()).toEqual([2, 2]);
  });

  const loseConnection = async (): Promise<void> => {
    const [row] = await database.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await work.detached(() => database.rows('SELECT pg_terminate_backend($1)', [row?.pid]));
  };

  it('runs again when its connection is lost before the commit', async () => {
    let runs = 0;
    await work.run(async () => {
      runs += 1;
      await set(1, runs);
      if (runs === 1) await loseConnection();
      await set(2, runs);
    });
    expect(runs).toBe(2);
    expect(await values()).toEqual([2, 2]);
  });

  it('does not run again when the connection is lost during the commit', async () => {
    await database.rows(`
      CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`);
    await database.rows(`
      CREATE CONSTRAINT TRIGGER ending AFTER UPDATE ON counters DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION end_session()`);
    let runs = 0;
    const failing = work.run(async () => {
      runs += 1;
      await set(1, 1);
    });
    await expect(failing).rejects.toThrow();
    await database.rows('DROP FUNCTION end_session CASCADE');
    expect(runs).toBe(1);
    expect(await values()).toEqual([0, 0]);
  });

  it('does not run again when retries are disabled', async () => {
    let runs = 0;
    const failing = work.run(
      async () => {
        runs += 1;
        await database.rows(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$`);
      },
      { retry: false },
    );
    await expect(failing).rejects.toThrow();
    expect(runs).toBe(1);
  });

  it('runs again until an action that must not be repeated', async () => {
    let runs = 0;
    const failing = work.run(
      async () => {
        runs += 1;
        await database.rows(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$`);
      },
      { retry: () => runs < 2 },
    );
    await expect(failing).rejects.toThrow();
    expect(runs).toBe(2);
  });

  it('reports the violated unique constraint', async () => {
    const error: unknown = await database
      .rows('INSERT INTO counters VALUES (1, 5)')
      .catch((reason: unknown) => reason);
    expect(violatedUnique(error)).toBe('counters_pkey');
    expect(violatedUnique(new Error('other'))).toBeUndefined();
  });
});
