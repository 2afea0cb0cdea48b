import { DownloadSlots } from '../../../src/modules/authorization/index.js';
import { DOWNLOADS } from '../../../src/platform/limits/index.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { PATIENT_MS, withWait } from '../../support/with-wait.js';

jest.setTimeout(120_000);

const DEVELOPER = 30;

/** Addresses that stream what a private project has. */
const DOWNLOADED: Record<string, (project: MadeProject, head: string) => string> = {
  'an archive': ({ id }) => `/api/v3/projects/${String(id)}/repository/archive.zip`,
  'a file': ({ id }) => `/api/v3/projects/${String(id)}/repository/blobs/master?filepath=file.txt`,
  'a commit as a text': ({ fullPath }, head) => `/${fullPath}/commit/${head}.patch`,
};

describe('Downloads that wait for a slot', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;
  let slots: DownloadSlots;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make();
    slots = trellis.app.get(DownloadSlots);
  });
  afterAll(() => projects.remove());

  const waiting = (): number =>
    [...(Reflect.get(slots, 'lines') as Map<string, unknown[]>).values()].flat().length;

  /** Asks while the reader's other downloads take all slots, and gives one back after something has happened. */
  async function askAmid(
    reader: Person,
    address: string,
    happen: () => Promise<unknown>,
  ): Promise<number> {
    const caller = { address: '127.0.0.9', userId: reader.user.id };
    const taken = Array.from({ length: DOWNLOADS.perUser }, () => slots.tryTake(caller));
    return withWait(DOWNLOADS, PATIENT_MS, async () => {
      const answer = fetch(`${trellis.url}${address}`, {
        headers: { 'PRIVATE-TOKEN': reader.token },
      });
      await until(() => Promise.resolve(waiting() > 0));
      const since = performance.now();
      await happen();
      // A check counts for a moment.
      await until(() => Promise.resolve(performance.now() - since > 200));
      for (const release of taken) release?.();
      const { status } = await answer;
      return status;
    });
  }

  describe.each(Object.entries(DOWNLOADED))('%s', (_, addressOf) => {
    const member = async (): Promise<Person> => {
      const reader = await trellis.factories.user();
      await trellis.factories.addToProject(pushed.project, reader, DEVELOPER);
      return reader;
    };
    const address = (): string => addressOf(pushed.project, pushed.head);

    it('returns 404 to a reader who has left the project meanwhile', async () => {
      const reader = await member();
      const path = `/projects/${String(pushed.project.id)}/members/${String(reader.user.id)}`;
      const status = await askAmid(reader, address(), () =>
        trellis.as(owner).delete(path).expect(200),
      );
      expect(status).toBe(404);
    });

    it('returns 401 to a reader who was blocked meanwhile', async () => {
      const reader = await member();
      const admin = await trellis.factories.admin();
      const path = `/users/${String(reader.user.id)}/block`;
      const status = await askAmid(reader, address(), () =>
        trellis.as(admin).put(path).expect(200),
      );
      expect(status).toBe(401);
    });

    it('serves a reader who is still a member', async () => {
      const reader = await member();
      expect(await askAmid(reader, address(), () => Promise.resolve())).toBe(200);
    });
  });
});
