// The process of the baselines: told what to serve by its parent, it answers with its port.
import { createServer } from 'node:http';
import { GitHttpBackend } from './git-http-backend.mjs';
import { Rows } from './rows.mjs';
import { SpawnedGit } from './spawned-git.mjs';

process.once('disconnect', () => process.exit());

/** @typedef {{ databaseUrl: string, repository: string, gitRoot: string, credentials: object }} Settings */

process.once('message', (/** @type {Settings} */ settings) => {
  const answering = {
    rows: new Rows(settings.databaseUrl),
    git: new SpawnedGit(settings.repository),
  };
  const backend = new GitHttpBackend(settings.gitRoot, settings.credentials);
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://baseline');
    const [, kind, ...rest] = url.pathname.split('/');
    const baseline = answering[kind];
    if (baseline === undefined) backend.serve(request, response, url);
    else void answerJson(baseline, rest, response);
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
});

async function answerJson(baseline, path, response) {
  try {
    const body = JSON.stringify(await baseline.answer(path.map(decodeURIComponent)));
    const length = Buffer.byteLength(body);
    const type = 'application/json; charset=utf-8';
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': length }).end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}
