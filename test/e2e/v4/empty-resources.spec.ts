import { EMPTY_ROUTES, RESOURCES } from '../../../src/faces/index.js';
import { makeBranchedCast, mergeRequestsOf } from '../../support/merge-requests.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

describe('empty resources of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let admin: Person;
  let stranger: Person;
  let project: MadeProject;
  let values: Readonly<Record<string, string>>;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const cast = await makeBranchedCast(trellis);
    project = cast.projects[0];
    owner = cast.people.owner as Person;
    admin = await trellis.factories.admin();
    stranger = await trellis.factories.user();
    const group = await trellis.factories.group(owner, { visibilityLevel: 0 });
    const client = trellis.as(owner).v4;
    const branches = { source_branch: cast.fresh(), target_branch: 'master' };
    const request = await client
      .post(mergeRequestsOf(project), { ...branches, title: 'Empty' })
      .expect(201);
    const issues = `/projects/${String(project.id)}/issues`;
    const issue = await client.post(issues, { title: 'Empty' }).expect(201);
    values = {
      'projects/:id': `projects/${String(project.id)}`,
      'groups/:id': `groups/${String(group.id)}`,
      'users/:id': `users/${String(owner.user.id)}`,
      ':issue_iid': String((issue.body as { iid: number }).iid),
      ':merge_request_iid': String((request.body as { iid: number }).iid),
      ':sha': 'master',
    };
  });

  const addressOf = (path: string): string =>
    Object.entries(values).reduce((text, [part, value]) => text.replace(part, value), `/${path}`);

  it.each(EMPTY_ROUTES.map(({ path, answer }) => [path, answer] as const))(
    'answers %s with an %s where it lies is seen, and takes no write',
    async (path, answer) => {
      const address = addressOf(path);
      const reader = trellis.as(path === 'runners/all' ? admin : owner).v4;
      const { body, headers } = await reader.get(address).expect(200);
      expect(body).toEqual(answer === 'empty-list' ? [] : {});
      if (answer === 'empty-list') {
        expect(headers).toMatchObject({ 'x-total': '0', 'x-page': '1', 'x-per-page': '20' });
      }
      await reader.call('head', address).expect(200);
      await reader.post(address, { name: 'x' }).expect(404, { error: '404 Not Found' });
      await reader.delete(address).expect(404);
      // Of a public project they need no credential, as the project itself.
      const isOpen = /^projects\/:id\/(?!issues|merge_requests)/.test(path);
      await trellis.anonymous.v4.get(address).expect(isOpen ? 404 : 401);
      const isHidden = /^(?:projects|groups)\//.test(path);
      await trellis
        .as(stranger)
        .v4.get(address)
        .expect(isHidden ? 404 : path === 'runners/all' ? 403 : 200);
    },
  );

  it('returns 404 for issues, merge requests and users that do not exist', async () => {
    for (const path of EMPTY_ROUTES.map((route) => route.path)) {
      const missing = path
        .replace(/:(?:issue|merge_request)_iid/, '999999')
        .replace('users/:id', 'users/2000000000');
      if (missing === path) continue;
      const answer = await trellis.as(owner).v4.get(addressOf(missing));
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });

  it.each(
    RESOURCES.filter(({ answer }) => answer === 'absent').map(
      ({ name, paths }) => [name, paths] as const,
    ),
  )('returns 404 for %s', async (_, paths) => {
    for (const path of paths) {
      const { status } = await trellis.as(admin).v4.get(addressOf(path));
      expect([path, status]).toEqual([path, 404]);
    }
  });
});
