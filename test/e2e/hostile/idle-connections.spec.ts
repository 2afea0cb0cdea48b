import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { ServiceProcess } from '../../support/service-process.js';

jest.setTimeout(120_000);

const OPEN_FILES = 400;

describe('connections that send nothing', () => {
  let folder: string;
  let database: TestDatabase;
  let service: ServiceProcess;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-connections-'));
    database = await createDatabase();
    const limited = `ulimit -n ${String(OPEN_FILES)}; exec "$@"`;
    service = ServiceProcess.start(
      'api',
      { DATA_DIR: folder, DATABASE_URL: database.url },
      { within: ['sh', '-c', limited, 'sh'] },
    );
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await service.kill('SIGTERM');
    await database.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  /** Over a connection of its own; rejects when the service does not accept it. */
  async function statusOf(url: string): Promise<number | undefined> {
    const call = request(`${url}/readyz`, { agent: false, timeout: 10_000 }).end();
    call.once('timeout', () => call.destroy(new Error('No answer')));
    const [response] = (await once(call, 'response')) as [{ statusCode?: number }];
    return response.statusCode;
  }

  it('leave file descriptors for the service, and slots for other clients', async () => {
    const url = await service.url();
    for (let opened = 0; opened < 2 * OPEN_FILES; opened += 1) {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
      socket.on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
    }
    for (let asked = 0; asked < 5; asked += 1) expect(await statusOf(url)).toBe(200);
    expect(service.output).not.toContain('EMFILE');
  });
});
