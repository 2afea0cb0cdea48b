// The process of the baselines: told what to serve by its parent, it answers with its port.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { GitHttpBackend } from './git-http-backend.mjs';
import { Rows } from './rows.mjs';
import { SpawnedGit } from './spawned-git.mjs';
import { Writes } from './writes.mjs';

process.once('disconnect', () => process.exit());

/** @typedef {{ databaseUrl: string, repository: string, gitRoot: string, credentials: object }} Settings */

process.once('message', (/** @type {Settings} */ settings) => {
  const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: 10 });
  // An idle connection that breaks; whoever needs it next is told.
  pool.on('error', () => undefined);
  const answering = {
    rows: new Rows(pool),
    writes: new Writes(pool),
    git: new SpawnedGit(settings.repository),
  };
  const backend = new GitHttpBackend(settings.gitRoot, settings.credentials);
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://baseline');
    const [, kind, ...rest] = url.pathname.split('/');
    const baseline = answering[kind];
    if (baseline === undefined) backend.serve(request, response, url);
    else void answerJson(baseline, rest.map(decodeURIComponent), { request, response });
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
});

async function answerJson(baseline, path, { request, response }) {
  try {
    const isWrite = request.method === 'POST';
    const answer = await baseline.answer(path, isWrite ? await json(request) : undefined);
    const body = JSON.stringify(answer);
    const length = Buffer.byteLength(body);
    const type = 'application/json; charset=utf-8';
    const headers = { 'Content-Type': type, 'Content-Length': length };
    response.writeHead(isWrite ? 201 : 200, headers).end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}
