import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createDatabase } from '../../support/database.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { SshPerson } from '../../support/ssh-person.js';
import { countLockWaits } from '../../support/table-lock.js';
import { TcpRelay } from '../../support/tcp-relay.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

const PUSH_LOCK = 7_265_002;
const UNAVAILABLE = 'The service is unavailable at the moment. Try again in 5 seconds.';

describe('Git during a database outage', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let keys: SshPerson;
  let unknown: SshPerson;
  let relay: TcpRelay;
  /** Past the relay. */
  let direct: pg.Client;

  beforeAll(async () => {
    const database = await createDatabase();
    relay = await TcpRelay.start(database.url);
    const url = new URL(database.url);
    url.host = relay.host;
    direct = new pg.Client({ connectionString: database.url });
    await direct.connect();
    const dataDir = await mkdtemp(path.join(tmpdir(), 'trellis-outage-'));
    const data = { database: { ...database, url: url.href }, dataDir };
    trellis = await Trellis.start({ because: 'data of another instance', data, servesSsh: true });
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    made = await projects.make();
    keys = await SshPerson.create(trellis, owner);
    unknown = await SshPerson.create(trellis, null);
  });
  afterAll(async () => {
    await projects.remove();
    await keys.remove();
    await unknown.remove();
    await direct.end();
    await relay.stop();
    await trellis.stop();
  });

  it('refuses an interrupted push, and reports that nothing was changed', async () => {
    const { project, work, head } = made;
    await direct.query('SELECT pg_advisory_lock($1, $2)', [PUSH_LOCK, project.id]);
    await work.commit('Second commit');
    const pushing = work.push('HEAD:refs/heads/master');
    const rows = async <Row>(sql: string) => (await direct.query(sql)).rows as Row[];
    await until(async () => (await countLockWaits({ rows })) > 0);
    await relay.stop();
    const { code, stderr } = await pushing;
    expect(code).toBe(1);
    expect(stderr).toContain('(The service is unavailable at the moment; nothing was changed.');
    expect(await work.git('rev-parse', 'HEAD~1')).toBe(head);
  });

  it.each(['git-upload-pack', 'git-receive-pack'])('returns 503 over HTTP: %s', async (service) => {
    const { work, project } = made;
    const [, credential = ''] = /\/\/(.*)@/.exec(work.remote) ?? [];
    const Authorization = `Basic ${Buffer.from(credential).toString('base64')}`;
    const at = `${trellis.url}/${project.fullPath}.git`;
    for (const headers of [{ Authorization }, {}] as Record<string, string>[]) {
      const answers = [
        await fetch(`${at}/info/refs?service=${service}`, { headers }),
        await fetch(`${at}/${service}`, { method: 'POST', headers, body: '0000' }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('5');
        expect(await answer.text()).toBe(UNAVAILABLE);
      }
    }
  });

  it('shows the reason over HTTP', async () => {
    for (const args of [['fetch'], ['push']]) {
      const { code, stderr } = await made.work.try(...args, made.work.remote, 'master');
      expect(code).not.toBe(0);
      expect(stderr).toContain(`remote: ${UNAVAILABLE}`);
    }
  });

  it('shows the reason over SSH, with an exit code, for every key', async () => {
    for (const person of [keys, unknown]) {
      for (const args of [['fetch'], ['push']]) {
        const { code, stderr } = await person.git(
          [...args, person.url(made.project), 'master'],
          made.work.folder,
        );
        expect(code).not.toBe(0);
        expect(stderr).toContain(UNAVAILABLE);
      }
      expect(await person.ssh([])).toMatchObject({ code: 1, stderr: `${UNAVAILABLE}\n` });
    }
    const stranger = await unknown.ssh([], { user: 'root' });
    expect(stranger.stderr).toContain('Permission denied');
  });
});
