import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import express from 'express';
import { inFairTurns } from '../../../src/platform/http/server/fair-turns.js';
import { Clients } from './support/clients.js';

const CROWD = 60;
const CROWDED = '127.0.0.2';
const NEWCOMER = '127.0.0.3';
/** How long each request holds the event loop. */
const WORK_MS = 4;
const FAILING = '/failing';
const requestOf = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

function work(): void {
  const end = performance.now() + WORK_MS;
  while (performance.now() < end);
}

describe('requests beyond the time of one turn of the event loop', () => {
  let clients: Clients;
  /** The addresses of requests in the order in which they began. */
  let begun: string[];

  beforeEach(async () => {
    begun = [];
    const app = express().set('env', 'test');
    const server = createServer(app);
    const turns = inFairTurns(server);
    app.use((request, response, next) => {
      void turns(request, response, (failure?: unknown) => {
        if (request.path === FAILING && failure === undefined) throw new Error('It fails');
        next(failure);
      });
    });
    app.use((request, response) => {
      begun.push(request.socket.remoteAddress ?? '');
      work();
      response.end('done');
    });
    clients = await Clients.of(server);
  });
  afterEach(() => clients.close());

  const openMany = (): Socket[] => Array.from({ length: CROWD }, () => clients.open(CROWDED));

  it('start in the turn of their address, whose connection is accepted meanwhile', async () => {
    const crowd = openMany();
    for (const client of crowd) client.write(requestOf('/'));
    const answers = crowd.map((client) => once(client, 'data'));
    const newcomer = clients.open(NEWCOMER);
    newcomer.write(requestOf('/'));
    await once(newcomer, 'data');
    expect(begun.indexOf(NEWCOMER)).toBeLessThan(CROWD / 3);
    await Promise.all(answers);
    expect(begun).toHaveLength(CROWD + 1);
  });

  it('start in the turn of their address on kept connections', async () => {
    const crowd = openMany();
    const newcomer = clients.open(NEWCOMER);
    await Promise.all([...crowd, newcomer].map((client) => once(client, 'connect')));
    for (const client of [...crowd, newcomer]) client.write(requestOf('/'));
    await once(newcomer, 'data');
    expect(begun.indexOf(NEWCOMER)).toBeLessThan(CROWD / 3);
  });

  it('start at once when they are health probes', async () => {
    const crowd = openMany();
    const probe = clients.open(CROWDED);
    await Promise.all([...crowd, probe].map((client) => once(client, 'connect')));
    for (const client of crowd) client.write(requestOf('/'));
    probe.write(requestOf('/healthz'));
    await once(probe, 'data');
    expect(begun.length).toBeLessThan(CROWD / 3);
  });

  it('are answered when their handler throws in a later turn', async () => {
    const crowd = openMany();
    await Promise.all(crowd.map((client) => once(client, 'connect')));
    for (const client of crowd) client.write(requestOf(FAILING));
    const answers = await Promise.all(crowd.map((client) => once(client, 'data')));
    for (const [bytes] of answers) expect(String(bytes)).toContain('500 Internal Server Error');
  });

  it('do not start after their client has disconnected', async () => {
    const crowd = openMany();
    await Promise.all(crowd.map((client) => once(client, 'connect')));
    for (const client of crowd) client.write(requestOf('/'));
    await Promise.race(crowd.map((client) => once(client, 'data')));
    for (const client of crowd) client.resetAndDestroy();
    const newcomer = clients.open(CROWDED);
    newcomer.write(requestOf('/'));
    await once(newcomer, 'data');
    expect(begun.length).toBeLessThan(CROWD / 3);
  });
});
