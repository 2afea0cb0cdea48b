import { once } from 'node:events';
import pg from 'pg';
import { connect } from '../../../src/backup/database/connection.js';
import { hostAddresses } from '../../../src/platform/config/index.js';
import { ConnectionMonitor } from '../../../src/platform/database/connections/connection-monitor.js';
import { answers } from '../../../src/platform/database/connections/database-hosts.js';
import { FailoverClient, PreparingClient } from '../../../src/platform/database/index.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { TcpRelay } from '../../support/tcp-relay.js';

const QUICK = { checkEveryMs: 20, askAfterMs: 100, askLimitMs: 300 };

describe('hosts of an address', () => {
  it.each([
    ['postgres://u:p@db/x', ['postgres://u:p@db/x']],
    ['postgres://u:p,q@db/x?a=1,2', ['postgres://u:p,q@db/x?a=1,2']],
    [
      'postgres://u:p@db1:5432,[::1]:5433/x?a=b',
      ['postgres://u:p@db1:5432/x?a=b', 'postgres://u:p@[::1]:5433/x?a=b'],
    ],
    ['postgres://db1,db2/x', ['postgres://db1/x', 'postgres://db2/x']],
    ['no address', ['no address']],
  ])('are parsed from %s', (text, addresses) => {
    expect(hostAddresses(text)).toEqual(addresses);
  });
});

describe('a connection to PostgreSQL', () => {
  let database: TestDatabase;
  const opened: pg.Client[] = [];
  const relays: TcpRelay[] = [];

  beforeAll(async () => {
    database = await createDatabase({ isEmpty: true });
  });
  afterEach(async () => {
    for (const client of opened.splice(0)) await client.end();
    for (const relay of relays.splice(0)) await relay.stop();
  });
  afterAll(() => database.drop());

  const relay = async () => {
    const started = await TcpRelay.start(database.url);
    relays.push(started);
    return started;
  };
  const addressOf = (...hosts: string[]) => {
    const { host } = new URL(database.url);
    return database.url.replace(host, hosts.join(','));
  };
  const open = async (connectionString: string, options: object = {}) => {
    const client = new FailoverClient({ connectionString, ...options });
    opened.push(client);
    await client.connect();
    return client;
  };
  /** Opens a connection that is then watched more closely than usual; what it sends to begin with may take its time. */
  const openWatched = async (connectionString: string, times = QUICK) => {
    const client = await open(connectionString);
    const monitor = new ConnectionMonitor(times);
    monitor.add(client);
    client.once('end', () => monitor.remove(client));
    return client;
  };
  const show = async (client: pg.Client, name: string) =>
    (await client.query<Record<string, string>>(`SELECT current_setting('${name}') AS value`))
      .rows[0]?.['value'];

  it('has its application name, for every address', async () => {
    const url = `${database.url}?application_name=address`;
    const own = await open(url, { sessionName: 'own', application_name: 'own' });
    expect(await show(own, 'application_name')).toBe('own');
    expect(await show(await open(url), 'application_name')).toBe('address');
  });

  it('makes the server end the session soon after the client machine is lost', async () => {
    const client = await open(database.url);
    expect(await show(client, 'tcp_keepalives_idle')).toBe('5');
    expect(await show(client, 'tcp_keepalives_interval')).toBe('3');
    expect(await show(client, 'tcp_keepalives_count')).toBe('3');
    expect(await show(client, 'tcp_user_timeout')).toBe('12000');
    expect(await show(client, 'client_connection_check_interval')).toBe('5s');
    expect(await show(client, 'TimeZone')).toBe('UTC');
  });

  it('allows a backup to read slowly from a busy disk', async () => {
    const client = await connect(database.url);
    opened.push(client);
    expect(await show(client, 'tcp_keepalives_idle')).toBe('5');
    expect(await show(client, 'tcp_user_timeout')).toBe('0');
  });

  it('sets nothing for a session of a pooler', async () => {
    const client = await open(database.url, { isPooled: true });
    expect(await show(client, 'tcp_user_timeout')).toBe('0');
    expect(await show(client, 'TimeZone')).toBe('UTC');
  });

  it('ends when its server stops responding', async () => {
    const cable = await relay();
    const client = await openWatched(addressOf(cable.host));
    cable.silence();
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('waits for a long statement on a server that answers others', async () => {
    const client = await openWatched(database.url, { ...QUICK, askLimitMs: 10_000 });
    const { rows } = await client.query<{ done: boolean }>('SELECT pg_sleep(0.6), true AS done');
    expect(rows[0]?.done).toBe(true);
  });

  it('waits for a statement while a pooler has no free session', async () => {
    const pooler = await relay();
    const client = await openWatched(addressOf(pooler.host), { ...QUICK, askLimitMs: 1_500 });
    pooler.holdStatements();
    // For longer than a question may take: one that ran a statement would not be answered.
    const { rows } = await client.query<{ done: boolean }>('SELECT pg_sleep(1.9), true AS done');
    expect(rows[0]?.done).toBe(true);
  });

  it('survives a failed lookup of its server', async () => {
    expect(await answers(`postgres://${'a'.repeat(64)}.invalid/x`, 2_000)).toBe(true);
  });

  it('has a connect timeout, also where TypeORM has none', () => {
    const client = new FailoverClient({
      ...{ connectionString: database.url, connectionTimeoutMillis: undefined },
    });
    expect(client).toMatchObject({ connectionParameters: { connect_timeout: 10 } });
  });

  it('ends after its time limit although the server answers others', async () => {
    const cable = await relay();
    const client = await openWatched(addressOf(cable.host), { ...QUICK, askLimitMs: 10_000 });
    Object.assign(client, { answerLimitMs: 300 });
    cable.silenceOpenOnes();
    await expect(client.query('SELECT 1')).rejects.toThrow('A statement had no answer within');
  });

  it('is closed within a time limit, and further statements fail at once', async () => {
    const cable = await relay();
    cable.silence();
    const late = { code: 'ETIMEDOUT', message: `no answer from ${cable.host}` };
    const options = { connectionTimeoutMillis: 200 };
    await expect(open(addressOf(cable.host), options)).rejects.toMatchObject(late);
    await expect(open(addressOf(cable.host))).rejects.toMatchObject(late);
  });

  it('is replaced by one to another host after a failover', async () => {
    const [one, other] = [await relay(), await relay()];
    const address = addressOf(one.host, other.host);
    const pool = new pg.Pool({ connectionString: address, Client: PreparingClient });
    pool.on('error', () => undefined);
    try {
      expect((await pool.query('SELECT 1 AS value')).rows).toEqual([{ value: 1 }]);
      const removed = once(pool, 'remove');
      await one.stop();
      await removed;
      expect((await pool.query('SELECT $1::int AS value', [2])).rows).toEqual([{ value: 2 }]);
      expect(pool.totalCount).toBe(1);
    } finally {
      await pool.end();
    }
  });

  it('is replaced when its server becomes read-only', async () => {
    const readOnly = `${database.url}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
    const client = await open(readOnly);
    const ended = once(client, 'end');
    await expect(client.query('CREATE TABLE written ()')).rejects.toMatchObject({ code: '25006' });
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow('Client was closed');
  });
});
