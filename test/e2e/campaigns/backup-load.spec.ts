/**
 * @campaign backup
 * @redis
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import request from 'supertest';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { hashedFolders } from '../../../src/modules/storage/repositories/hashed-folders.js';
import { lengthOf, seedOf } from '../../support/lengths.js';
import { backUp, startRestored } from '../../support/restored-instance.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { type Acknowledged, WriteLoad } from '../../support/write-load.js';
import { git, tryGit } from '../../unit/git/support/workshop.js';

jest.setTimeout(lengthOf({ brief: 900_000, campaign: 1_200_000 }));

const SEED = seedOf(19);
const CLIENTS = 3;
const ROUNDS = lengthOf({ brief: 1, campaign: 4 });
/** What clients do between two backups. */
const STEPS_PER_ROUND = lengthOf({ brief: 0, campaign: 150 });
/** What clients do between the snapshot of the database and the refs, and again before the objects are copied. */
const STEPS_PER_GAP = lengthOf({ brief: 6, campaign: 30 });

interface ProjectRow {
  id: number;
  head: string;
}

describe(`a backup under write load (seed ${String(SEED)})`, () => {
  let folder: string;
  let trellis: Trellis;
  let load: WriteLoad;
  let restored: Trellis | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-backup-'));
    trellis = await Trellis.start({
      because: 'state of the instance',
      runsJobs: true,
      servesSsh: true,
    });
    load = new WriteLoad(trellis, SEED);
  });
  afterAll(async () => {
    await restored?.stop();
    await load.remove();
    await trellis.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function restore(from: string): Promise<Trellis> {
    await restored?.stop();
    restored = await startRestored(from);
    return restored;
  }

  /** Lets clients write, and packs all repositories, while a backup waits. */
  async function goOnInGaps(title: string): Promise<void> {
    if (!['Copying refs', 'Copying repositories'].includes(title)) return;
    await load.untilSteps(STEPS_PER_GAP);
    for (const { id } of load.projects) {
      const repository = trellis.app.get(ProjectStorage).repository({ id, storage: 'default' });
      await repository.housekeeping().catch(() => undefined);
    }
  }

  it('has consistent refs and rows, and everything acknowledged before', async () => {
    await load.start(CLIENTS);
    const backups: { path: string; before: Acknowledged }[] = [];
    try {
      for (let round = 1; round <= ROUNDS; round += 1) {
        await load.untilSteps(STEPS_PER_ROUND);
        const before = structuredClone(load.acknowledged);
        const { path: backup, manifest } = await backUp(trellis, folder, goOnInGaps);
        expect(manifest.missingRepositories).toEqual([]);
        backups.push({ path: backup, before });
      }
    } finally {
      await load.stop();
    }
    for (const backup of backups) {
      const instance = await restore(backup.path);
      await expectSound(instance);
      await expectKept(instance, backup.before);
    }
  });

  it('equals the instance after the writes end, and copies only new files', async () => {
    await settled(trellis);
    const before = await backUp(trellis, folder);
    const { path: backup, bytesCopied, bytesReused } = await backUp(trellis, folder);
    expect(bytesCopied).toBeLessThan(before.bytesCopied + before.bytesReused);
    expect(bytesReused).toBeGreaterThan(0.5 * (bytesCopied + bytesReused));
    const instance = await restore(backup);
    const restored = `FROM audit_events WHERE action = 'backup.restored'`;
    expect(await instance.rows(`SELECT target_name ${restored}`)).toEqual([
      { target_name: backup },
    ]);
    await instance.rows(`DELETE ${restored}`);
    expect(await tables(instance)).toEqual(await tables(trellis));
    expect(await refsOf(instance)).toEqual(await refsOf(trellis));
    await expectKept(instance, load.acknowledged);
  });
});

const projectsOf = (trellis: Trellis): Promise<ProjectRow[]> =>
  trellis.rows(
    `SELECT id, coalesce(default_branch, initial_branch, 'master') AS head FROM projects
      WHERE deleted_at IS NULL AND repository_state = 'ready' ORDER BY id`,
  );

/** The folders of all repositories, by project. */
async function foldersOf(trellis: Trellis): Promise<Map<number, string>> {
  const folders = new Map<number, string>();
  for await (const parent of hashedFolders(path.join(trellis.dataDir, 'repositories'))) {
    const names = await git(['-c', `alias.ls=!ls`, 'ls', parent], { cwd: trellis.dataDir });
    for (const name of names.split('\n').filter((entry) => /^\d+\.git$/.test(entry))) {
      folders.set(Number.parseInt(name, 10), path.join(parent, name));
    }
  }
  return folders;
}

async function refsIn(repository: string, ...prefixes: string[]): Promise<Map<string, string>> {
  const format = '--format=%(objectname) %(refname)';
  const lines = await git(['for-each-ref', format, ...prefixes], { cwd: repository });
  const refs = lines.split('\n').filter(Boolean);
  return new Map(refs.map((line) => [line.slice(41), line.slice(0, 40)]));
}

/** All refs and HEADs of an instance, but those that only keep commits. */
async function refsOf(trellis: Trellis): Promise<unknown> {
  const folders = await foldersOf(trellis);
  const projects = await projectsOf(trellis);
  return Promise.all(
    projects.map(async ({ id }) => {
      const cwd = folders.get(id) ?? '';
      const refs = await refsIn(cwd, 'refs/heads', 'refs/tags', 'refs/merge-requests');
      return [id, await git(['symbolic-ref', 'HEAD'], { cwd }), [...refs]];
    }),
  );
}

/** Every repository is whole, and what rows say of commits is so. */
async function expectSound(trellis: Trellis): Promise<void> {
  const folders = await foldersOf(trellis);
  const projects = await projectsOf(trellis);
  expect(projects.length).toBeGreaterThan(0);
  for (const { id, head } of projects) {
    const cwd = folders.get(id) ?? '';
    const check = await tryGit(['fsck', '--strict', '--no-dangling'], { cwd });
    expect([
      id,
      check.code,
      check.stdout,
      check.stderr.replace(/^.*notice.*$/gm, '').trim(),
    ]).toEqual([id, 0, '', '']);
    expect(await git(['symbolic-ref', 'HEAD'], { cwd })).toBe(`refs/heads/${head}`);
    await expectRefsAsRecorded(trellis, id, cwd);
    await expectMergeRequestsAsRecorded(trellis, id, cwd);
  }
  await expectRightCounts(trellis);
  expect(await trellis.rows('SELECT id FROM push_intents')).toEqual([]);
}

interface PushEvent {
  ref: string;
  before: string;
  after: string;
}

/** Branches and tags are where the last event of each says, unless the project is a fork, whose refs were copied. */
async function expectRefsAsRecorded(trellis: Trellis, id: number, cwd: string): Promise<void> {
  const events = await trellis.rows<PushEvent>(
    `SELECT pushed_ref ->> 'ref' AS ref, pushed_ref ->> 'oldOid' AS before,
            pushed_ref ->> 'newOid' AS after
       FROM events WHERE project_id = $1 AND pushed_ref IS NOT NULL ORDER BY id`,
    [id],
  );
  const recorded = new Map<string, string>();
  const commits = new Set<string>();
  for (const { ref, before, after } of events) {
    const gone = '0'.repeat(40);
    expect([ref, recorded.get(ref) ?? gone]).toEqual([ref, before]);
    if (after === gone) recorded.delete(ref);
    else recorded.set(ref, after);
    commits.add(before).add(after).delete(gone);
  }
  await expectObjects(cwd, commits);
  const [fork] = await trellis.rows('SELECT 1 FROM fork_links WHERE forked_to_project_id = $1', [
    id,
  ]);
  if (fork !== undefined) return;
  const refs = await refsIn(cwd, 'refs/heads', 'refs/tags');
  expect([id, [...refs].sort()]).toEqual([id, [...recorded].sort()]);
}

async function expectMergeRequestsAsRecorded(
  trellis: Trellis,
  id: number,
  cwd: string,
): Promise<void> {
  const requests = await trellis.rows<{ iid: number; head: string; merge: string | null }>(
    `SELECT m.iid, v.head_commit_sha AS head, m.merge_commit_sha AS merge
       FROM merge_requests m JOIN merge_request_versions v ON v.id = m.latest_version_id
      WHERE m.project_id = $1 ORDER BY m.iid`,
    [id],
  );
  const refs = await refsIn(cwd, 'refs/merge-requests');
  const wanted = requests.map(({ iid, head }) => [`refs/merge-requests/${String(iid)}/head`, head]);
  expect([...refs].sort()).toEqual(wanted.sort());
  const commits = requests.flatMap(({ head, merge }) => (merge === null ? [head] : [head, merge]));
  await expectObjects(cwd, new Set(commits));
}

async function expectObjects(cwd: string, oids: ReadonlySet<string>): Promise<void> {
  if (oids.size === 0) return;
  const input = [...oids].map((oid) => `${oid}\n`).join('');
  const found = await git(['cat-file', '--batch-check'], { cwd, input });
  expect(found).not.toContain('missing');
}

async function expectRightCounts(trellis: Trellis): Promise<void> {
  const wrong = await trellis.rows(
    `SELECT p.id FROM projects p LEFT JOIN issue_counts c ON c.project_id = p.id
      WHERE coalesce(c.opened, 0) <>
            (SELECT count(*) FROM issues i WHERE i.project_id = p.id AND i.state = 'opened')`,
  );
  expect(wrong).toEqual([]);
}

async function expectKept(trellis: Trellis, { issues, uploads, merges, commits }: Acknowledged) {
  const rows = await trellis.rows<{ title: string }>('SELECT title FROM issues');
  const titles = new Set(rows.map(({ title }) => title));
  expect(issues.filter((title) => !titles.has(title))).toEqual([]);
  const merged = await trellis.rows<{ sha: string }>(
    'SELECT merge_commit_sha AS sha FROM merge_requests',
  );
  const known = new Set(merged.map(({ sha }) => sha));
  expect(merges.filter((sha) => !known.has(sha))).toEqual([]);
  const folders = await foldersOf(trellis);
  for (const project of new Set(commits.map((commit) => commit.project))) {
    const own = commits.filter((commit) => commit.project === project);
    await expectObjects(folders.get(project) ?? '', new Set(own.map(({ oid }) => oid)));
  }
  for (const { path: address, content } of uploads) {
    const { body } = await request(trellis.url).get(address).buffer(true).parse(bytes).expect(200);
    expect((body as Buffer).toString()).toBe(content);
  }
}

function bytes(response: request.Response, done: (error: Error | null, body: Buffer) => void) {
  const chunks: Buffer[] = [];
  const stream = response as unknown as NodeJS.ReadableStream;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => done(null, Buffer.concat(chunks)));
}

/** Waits until no job is left but those that are due later; deleted projects wait for backups to end. */
async function settled(trellis: Trellis): Promise<void> {
  await until(async () => {
    const waiting = await trellis.rows(
      `SELECT 1 FROM outbox WHERE failed_at IS NULL AND name NOT LIKE 'deliver%'
          AND (enqueued_at IS NOT NULL OR run_at < now() OR name = 'purge-project') LIMIT 1`,
    );
    return waiting.length === 0;
  });
}

/** What is in all tables, but for what a running service changes by itself. */
async function tables(trellis: Trellis): Promise<Record<string, unknown>> {
  const names = await trellis.rows<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r'
        AND relnamespace = current_schema()::regnamespace ORDER BY 1`,
  );
  const contents: Record<string, unknown> = {};
  for (const { name } of names) {
    if (['outbox', 'migrations', 'hook_deliveries', 'hook_events'].includes(name)) continue;
    const [row] = await trellis.rows(
      `SELECT count(*)::int AS rows, md5(string_agg(t::text, E'\\n' ORDER BY t::text)) AS digest
         FROM ${name} t`,
    );
    contents[name] = row;
  }
  return contents;
}
