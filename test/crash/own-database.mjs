// A PostgreSQL whose life depends on neither api nor worker: it belongs to the script.
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const silent = { info() {}, warn() {}, error() {}, debug() {} };

export const built = (...names) => path.join(ROOT, 'dist', 'src', ...names);

export const load = (...names) => import(pathToFileURL(built(...names)).href);

/** Starts a migrated one below the scratch folder; it comes back by itself when it is killed. */
export async function ownDatabase(scratch) {
  const { EmbeddedPostgres } = await load('platform', 'database', 'embedded', 'index.js');
  const { migrate } = await load('bootstrap', 'migrate.js');
  const dataDir = path.join(scratch.folder, 'database');
  const server = await EmbeddedPostgres.start({ dataDir, logger: silent });
  scratch.defer(() => server.stop());
  await migrate(server.url);
  return { url: server.url, dataDir };
}
