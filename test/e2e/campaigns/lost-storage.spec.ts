/**
 * @campaign storage
 * @needs bindfs fusermount
 */
import { examine } from '../../../src/cli/doctor/doctor.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { BoundFolder } from '../../support/bound-folder.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { ServiceProcess } from '../../support/service-process.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(300_000);

const PAGE = 'see which options it needs in docs/scaling.md#file-systems';
const UNAVAILABLE = 'The service is unavailable at the moment. Try again in 5 seconds.';

describe('a storage on a file system that is not local', () => {
  let mounted: BoundFolder;
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;
  let env: Record<string, string>;

  beforeAll(async () => {
    mounted = await BoundFolder.mount();
    env = { REPOSITORY_STORAGES: `far=${mounted.folder}` };
    trellis = await Trellis.start({ because: 'state of the instance', env });
    owner = await trellis.factories.user();
    const admin = await trellis.factories.admin();
    const settings = { repository_storages: ['far'] };
    await trellis.as(admin).put('/application/settings', settings).expect(200);
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make();
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.stop();
    await mounted.unmount();
  });

  const described = () => `fuse, ${mounted.source} at ${mounted.folder}`;

  it('is reported by doctor, with the page about its options', async () => {
    const checks = await examine(loadConfig({ ...trellis.sharedEnvironment, ...env }));
    expect(checks).toContainEqual({
      ...{ name: 'storage far mount', state: 'warning' },
      ...{ detail: described(), advice: PAGE },
    });
  });

  it('is reported by the first log lines of a start', async () => {
    const service = ServiceProcess.start('api', {
      ...trellis.sharedEnvironment,
      ...env,
      PORT: '0',
    });
    try {
      const [said] = await service.says(/storage far is not [^"]*/);
      expect(said).toBe(`storage far is not on a local file system: ${described()}; ${PAGE}`);
    } finally {
      await service.kill('SIGKILL');
    }
  });

  it('returns 503 after the loss of its server', async () => {
    await mounted.crash();
    const at = `/projects/${String(pushed.project.id)}/repository`;
    for (const read of ['commits', 'branches', 'tree', 'archive']) {
      const answer = await trellis.as(owner).get(`${at}/${read}`);
      expect([read, answer.status]).toEqual([read, 503]);
      expect(answer.headers['retry-after']).toBe('5');
    }
    const change = { file_path: 'new', content: '', commit_message: 'New', branch_name: 'master' };
    await trellis.as(owner).post(`${at}/files`, change).expect(503);
    for (const args of [['fetch'], ['push']]) {
      const { code, stderr } = await pushed.work.try(...args, pushed.work.remote, 'master');
      expect(code).not.toBe(0);
      expect(stderr).toContain(`remote: ${UNAVAILABLE}`);
    }
  });
});
