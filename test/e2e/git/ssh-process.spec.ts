/** @operation */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import request from 'supertest';
import ssh2 from 'ssh2';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { ownQueues } from '../../support/own-queues.js';
import { newKeyPair } from '../../support/public-keys.js';
import { ServiceProcess } from '../../support/service-process.js';
import { beginCommand } from '../../support/ssh-person.js';

jest.setTimeout(300_000);

const TOKEN = 'token-of-the-process';

describe('an api process that serves Git over SSH', () => {
  let folder: string;
  let database: TestDatabase;
  let service: ServiceProcess;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-ssh-process-'));
    database = await createDatabase();
    service = ServiceProcess.start('api', {
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      ROOT_TOKEN: TOKEN,
      SSH_PORT: '0',
      SSH_EXTERNAL_HOST: 'ssh.example.com',
      SSH_EXTERNAL_PORT: '22',
      ...(await ownQueues()),
    });
  });
  afterAll(async () => {
    await service.kill('SIGKILL');
    await database.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it('logs its port, shows the external address, logs commands without keys, and shuts down in order', async () => {
    const url = await service.url();
    const [, port = ''] = await service.says(/Git over SSH is served on port (\d+)/);
    const post = (target: string, body: object) =>
      request(url).post(`/api/v3${target}`).set('PRIVATE-TOKEN', TOKEN).send(body);
    const pair = newKeyPair();
    await post('/user/keys', { title: 'A key', key: pair.public }).expect(201);
    const made = await post('/projects', { name: 'Served' }).expect(200);
    expect(made.body).toMatchObject({ ssh_url_to_repo: 'git@ssh.example.com:root/served.git' });

    const client = new ssh2.Client();
    const connection = { host: '127.0.0.1', port: Number(port), username: 'git' };
    client.connect({ ...connection, privateKey: pair.private });
    await once(client, 'ready');
    const channel = await beginCommand(client, "git-upload-pack 'root/served.git'");
    await once(channel, 'data');
    const exit = once(channel, 'exit');
    const ending = service.kill('SIGTERM');
    await service.says(/SIGTERM: finishing what is under way/);
    channel.end('0000');
    expect((await exit)[0]).toBe(0);
    expect(await ending).toEqual({ code: 0, signal: null });
    client.end();

    const line = service.output.split('\n').find((text) => text.includes('ssh command completed'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      ssh: { command: 'git-upload-pack', project: 'root/served', remoteAddress: '127.0.0.1' },
      exitCode: 0,
    });
    const stored = await readFile(path.join(folder, 'ssh_host_ed25519_key'), 'utf8');
    for (const secret of [pair.public, pair.private, stored]) {
      for (const part of secret.split(/\s+/).filter((word) => word.length > 40)) {
        expect(service.output).not.toContain(part);
      }
    }
  });
});
