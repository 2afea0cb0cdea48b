import type { Response } from 'supertest';
import { CommitReadmeJob } from '../../../src/modules/repository/commits/commit-readme.job.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface Shown {
  id: number;
}

describe('projects of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let developer: Person;
  let stranger: Person;
  let admin: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    [owner, developer, stranger] = [
      await factories.user({ projectsLimit: 100 }),
      await factories.user(),
      await factories.user(),
    ];
    admin = await factories.admin();
    project = await factories.project(owner, { visibilityLevel: 20 });
    await factories.addToProject(project, developer, 30);
  });

  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

  const namespace = () => ({
    id: expect.any(Number) as number,
    name: owner.user.name,
    path: owner.user.username,
    kind: 'user',
    full_path: owner.user.username,
    parent_id: null,
    avatar_url: null,
    web_url: `${trellis.url}/${owner.user.username}`,
  });

  const simple = () => ({
    id: project.id,
    description: null,
    name: project.path,
    name_with_namespace: `${owner.user.name} / ${project.path}`,
    path: project.path,
    path_with_namespace: project.fullPath,
    created_at: time,
    default_branch: 'master',
    tag_list: [],
    topics: [],
    ssh_url_to_repo: expect.stringContaining(`${project.fullPath}.git`) as string,
    http_url_to_repo: `${trellis.url}/${project.fullPath}.git`,
    web_url: `${trellis.url}/${project.fullPath}`,
    readme_url: null,
    forks_count: 0,
    avatar_url: null,
    star_count: 0,
    last_activity_at: time,
    visibility: 'public',
    namespace: namespace(),
  });

  const full = () => {
    const address = `${trellis.url}/api/v4/projects/${String(project.id)}`;
    return {
      ...simple(),
      _links: {
        self: address,
        issues: `${address}/issues`,
        merge_requests: `${address}/merge_requests`,
        repo_branches: `${address}/repository/branches`,
        labels: `${address}/labels`,
        events: `${address}/events`,
        members: `${address}/members`,
      },
      empty_repo: true,
      archived: false,
      owner: {
        id: owner.user.id,
        username: owner.user.username,
        name: owner.user.name,
        state: 'active',
        locked: false,
        avatar_url: expect.any(String) as string,
        web_url: `${trellis.url}/${owner.user.username}`,
        created_at: owner.user.createdAt.toISOString(),
      },
      issues_enabled: true,
      merge_requests_enabled: true,
      wiki_enabled: true,
      jobs_enabled: true,
      snippets_enabled: false,
      container_registry_enabled: true,
      issues_access_level: 'enabled',
      repository_access_level: 'enabled',
      merge_requests_access_level: 'enabled',
      forking_access_level: 'enabled',
      wiki_access_level: 'enabled',
      builds_access_level: 'enabled',
      snippets_access_level: 'disabled',
      container_registry_access_level: 'enabled',
      shared_runners_enabled: true,
      lfs_enabled: true,
      creator_id: owner.user.id,
      import_status: 'none',
      open_issues_count: 0,
      updated_at: time,
      public_jobs: true,
      shared_with_groups: [],
      only_allow_merge_if_pipeline_succeeds: false,
      allow_merge_on_skipped_pipeline: false,
      request_access_enabled: false,
      only_allow_merge_if_all_discussions_are_resolved: false,
      remove_source_branch_after_merge: false,
      merge_method: 'merge',
      squash_option: 'default_off',
      mirror: false,
    };
  };

  const permissions = (level: number) => ({
    project_access: { access_level: level, notification_level: 3 },
    group_access: null,
  });

  const idsOf = async (who: Person, query: string, path = '/projects') => {
    const answer = await trellis.as(who).v4.get(`${path}?${query}`).expect(200);
    return (answer.body as Shown[]).map(({ id }) => id);
  };

  describe('GET /projects/:id', () => {
    it('returns a project by id and by path, with 50 for the owner of a personal one', async () => {
      for (const name of [String(project.id), encodeURIComponent(project.fullPath)]) {
        const own = await trellis.as(owner).v4.get(`/projects/${name}`).expect(200);
        expect(own.body).toEqual({ ...full(), permissions: permissions(50) });
        const seen = await trellis.as(developer).v4.get(`/projects/${name}`).expect(200);
        expect(seen.body).toEqual({ ...full(), permissions: permissions(30) });
      }
      const old = await trellis
        .as(owner)
        .get(`/projects/${String(project.id)}`)
        .expect(200);
      expect(old.body).toMatchObject({
        visibility_level: 20,
        default_branch: null,
        permissions: { project_access: { access_level: 40 } },
      });
    });

    it('returns a public project to strangers without permissions, and 404 for a private one', async () => {
      const shown = await trellis.anonymous.v4.get(`/projects/${String(project.id)}`).expect(200);
      expect(shown.body).toEqual(full());
      const hidden = await trellis.factories.project(owner);
      for (const client of [trellis.anonymous, trellis.as(stranger)]) {
        const absent = await client.v4.get(`/projects/${String(hidden.id)}`).expect(404);
        expect(absent.body).toEqual({ message: '404 Project Not Found' });
      }
    });
  });

  describe('POST /projects', () => {
    it('creates a project by its name alone or its path alone, which version 3 shows', async () => {
      const name = `Overture ${unique()}`;
      const body = { name, visibility: 'internal', default_branch: 'main' };
      const made = await trellis.as(owner).v4.post('/projects', body).expect(201);
      const { id } = made.body as Shown;
      expect(made.body).toMatchObject({
        name,
        path: name.toLowerCase().replace(' ', '-'),
        ...{ visibility: 'internal', default_branch: 'main', empty_repo: true },
      });
      const old = await trellis
        .as(owner)
        .get(`/projects/${String(id)}`)
        .expect(200);
      expect(old.body).toMatchObject({ name, visibility_level: 10 });
      const path = `path-${unique()}`;
      const byPath = await trellis.as(owner).v4.post('/projects', { path }).expect(201);
      expect(byPath.body).toMatchObject({ name: path, path });
    });

    describe('with initialize_with_readme', () => {
      const create = async (body: object) => {
        const name = `Prelude ${unique()}`;
        const answer = await trellis
          .as(owner)
          .v4.post('/projects', { name, initialize_with_readme: true, ...body })
          .expect(201);
        return { name, body: answer.body as Shown & Record<string, unknown> };
      };
      const commitsOf = async ({ id }: Shown) => {
        const path = `/projects/${String(id)}/repository/commits`;
        return (await trellis.as(owner).v4.get(path).expect(200)).body as object[];
      };

      it('commits a README in the name of the creator, which is pushed and protected', async () => {
        const { name, body } = await create({ description: 'Before.', default_branch: 'trunk' });
        expect(body).toMatchObject({ default_branch: 'trunk', empty_repo: false });
        const author = { author_name: owner.user.name, author_email: owner.user.email };
        expect(await commitsOf(body)).toMatchObject([{ title: 'Initial commit', ...author }]);
        const at = `/projects/${String(body.id)}`;
        const readme = await trellis
          .as(owner)
          .v4.get(`${at}/repository/files/README.md/raw`)
          .expect(200);
        expect(readme.text).toBe(`# ${name}\n\nBefore.\n`);
        const branch = await trellis.as(owner).get(`${at}/repository/branches/trunk`).expect(200);
        expect(branch.body).toMatchObject({ protected: true });
        const events = await trellis.as(owner).get(`${at}/events`).expect(200);
        expect(events.body).toMatchObject([
          { action_name: 'pushed new', data: { ref: 'refs/heads/trunk' } },
          { action_name: 'created' },
        ]);
      });

      it('leaves an import as it is', async () => {
        const url = 'https://receiver.example/source.git';
        const { body } = await create({ import_url: url });
        expect(body).toMatchObject({ empty_repo: true, import_status: 'started' });
        const jobs = await trellis.rows(
          `SELECT 1 FROM outbox WHERE name = 'commit-readme' AND payload->>'projectId' = $1`,
          [String(body.id)],
        );
        expect(jobs).toEqual([]);
      });

      it('is finished by a job when the process ends before the commit, and made once', async () => {
        const job = trellis.app.get(CommitReadmeJob);
        const payload = async ({ id }: Shown) => {
          const [row] = await trellis.rows<{ payload: { projectId: number; userId: number } }>(
            `SELECT payload FROM outbox WHERE name = 'commit-readme' AND payload->>'projectId' = $1`,
            [String(id)],
          );
          return row!.payload;
        };
        const cut = jest.spyOn(job, 'tryReadmeNow').mockResolvedValueOnce();
        const { body } = await create({});
        expect(cut).toHaveBeenCalledTimes(1);
        cut.mockRestore();
        expect(body).toMatchObject({ empty_repo: true });
        const asked = await payload(body);
        await Promise.all([job.handle(asked), job.handle(asked), job.handle(asked)]);
        await job.handle(asked);
        expect(await commitsOf(body)).toMatchObject([{ title: 'Initial commit' }]);
      });

      it('leaves commits alone that others pushed before the job', async () => {
        const job = trellis.app.get(CommitReadmeJob);
        const empty = await trellis.factories.project(owner);
        const commit = {
          branch: 'master',
          commit_message: 'Mine',
          actions: [{ action: 'create', file_path: 'mine', content: '' }],
        };
        const path = `/projects/${String(empty.id)}/repository/commits`;
        await trellis.as(owner).v4.post(path, commit).expect(201);
        await job.handle({ projectId: empty.id, userId: owner.user.id });
        expect(await commitsOf(empty)).toMatchObject([{ title: 'Mine' }]);
        // Of a project that is deleted meanwhile, and of an author who sees it no longer.
        const stranger = await trellis.factories.user();
        const other = await trellis.factories.project(owner);
        await job.handle({ projectId: 2_000_000_000, userId: owner.user.id });
        await job.handle({ projectId: other.id, userId: stranger.user.id });
        expect(await commitsOf(other)).toEqual([]);
      });
    });

    it('returns 400 without name and path, for a taken one and for a level', async () => {
      const refusal = async (body: object) => {
        const answer = await trellis.as(owner).v4.post('/projects', body).expect(400);
        return answer.body as unknown;
      };
      expect(await refusal({})).toEqual({
        error: 'name, path are missing, at least one parameter must be provided',
      });
      expect(await refusal({ name: project.path })).toEqual({
        message: { name: ['has already been taken'], path: ['has already been taken'] },
      });
      expect(await refusal({ name: unique(), visibility: 20 })).toEqual({
        error: 'visibility does not have a valid value',
      });
    });
  });

  describe('PUT /projects/:id', () => {
    it('changes switches by their levels, which win, and by their names', async () => {
      const made = await trellis.factories.project(owner);
      const change = async (body: object) => {
        const answer = await trellis.as(owner).v4.put(`/projects/${String(made.id)}`, body);
        return answer.body as object;
      };
      expect(
        await change({
          issues_access_level: 'disabled',
          issues_enabled: true,
          jobs_enabled: false,
        }),
      ).toMatchObject({
        ...{ issues_enabled: false, issues_access_level: 'disabled' },
        ...{ jobs_enabled: false, builds_access_level: 'disabled' },
      });
      const only = { only_allow_merge_if_pipeline_succeeds: true, public_jobs: false };
      expect(await change(only)).toMatchObject(only);
      expect(await change({ visibility: 'public', description: 'Guide' })).toMatchObject({
        ...{ visibility: 'public', description: 'Guide' },
      });
      const old = await trellis
        .as(owner)
        .get(`/projects/${String(made.id)}`)
        .expect(200);
      expect(old.body).toMatchObject({
        ...{ issues_enabled: false, builds_enabled: false, public_builds: false },
        ...{ visibility_level: 20, only_allow_merge_if_build_succeeds: true },
      });
      const refused = await change({ issues_access_level: 'private' });
      expect(refused).toEqual({ error: 'issues_access_level does not have a valid value' });
      expect(await change({})).toEqual({
        error: expect.stringMatching(/are missing, at least one parameter/) as string,
      });
    });

    it('returns 403 to developers', async () => {
      const path = `/projects/${String(project.id)}`;
      await trellis.as(developer).v4.put(path, { description: 'x' }).expect(403);
    });
  });

  describe('actions', () => {
    it('archive and unarchive a project', async () => {
      const { id } = await trellis.factories.project(owner);
      const act = (action: string) =>
        trellis
          .as(owner)
          .v4.post(`/projects/${String(id)}/${action}`)
          .expect(201);
      expect((await act('archive')).body).toMatchObject({ id, archived: true });
      expect(await idsOf(owner, 'owned=true&archived=true')).toEqual([id]);
      expect(await idsOf(owner, 'owned=true&archived=false')).not.toContain(id);
      expect(await idsOf(owner, 'owned=true')).toContain(id);
      expect((await act('unarchive')).body).toMatchObject({ id, archived: false });
    });

    it('star once and unstar once, then answer 304', async () => {
      const path = `/projects/${String(project.id)}`;
      const client = trellis.as(stranger).v4;
      const starred = await client.post(`${path}/star`).expect(201);
      expect(starred.body).toMatchObject({ star_count: 1 });
      await client.post(`${path}/star`).expect(304);
      expect(await idsOf(stranger, 'starred=true')).toEqual([project.id]);
      const unstarred = await client.post(`${path}/unstar`).expect(201);
      expect(unstarred.body).toMatchObject({ star_count: 0 });
      await client.post(`${path}/unstar`).expect(304);
    });

    it('delete a project with 202', async () => {
      const { id } = await trellis.factories.project(owner);
      const path = `/projects/${String(id)}`;
      const deleted = await trellis.as(owner).v4.delete(path).expect(202);
      expect(deleted.body).toEqual({ message: '202 Accepted' });
      await trellis.as(owner).v4.get(path).expect(404);
    });
  });

  describe('forks', () => {
    it('have names of their own, are listed and found by their source', async () => {
      const source = await trellis.factories.project(owner, { visibilityLevel: 20 });
      const path = `fork-${unique()}`;
      const at = `/projects/${String(source.id)}/fork`;
      const body = { path, name: path, namespace_path: developer.user.username };
      const made = await trellis.as(developer).v4.post(at, body).expect(201);
      const { id } = made.body as Shown;
      expect(made.body).toMatchObject({
        path_with_namespace: `${developer.user.username}/${path}`,
        import_status: 'started',
        forked_from_project: { id: source.id, path_with_namespace: source.fullPath },
      });
      const taken = await trellis.as(developer).v4.post(at, { path, name: path }).expect(409);
      expect(taken.body).toEqual({
        message: { name: ['has already been taken'], path: ['has already been taken'] },
      });
      expect(await idsOf(stranger, '', `/projects/${String(source.id)}/forks`)).toEqual([id]);
      const absent = await trellis.as(stranger).v4.post(at, { namespace_id: 2_147_483_647 });
      expect([absent.status, absent.body]).toEqual([
        404,
        { message: '404 Target Namespace Not Found' },
      ]);
      const invalid = await trellis.as(stranger).v4.post(at, { path: '-' }).expect(400);
      expect(invalid.body).toMatchObject({ message: { path: [expect.any(String)] } });
    });

    it('are related and unrelated by administrators', async () => {
      const { factories } = trellis;
      const [one, two] = [await factories.project(owner), await factories.project(owner)];
      const at = `/projects/${String(one.id)}/fork`;
      const related = await trellis
        .as(admin)
        .v4.post(`${at}/${String(two.id)}`)
        .expect(201);
      expect(related.body).toMatchObject({ id: one.id, forked_from_project: { id: two.id } });
      await trellis
        .as(admin)
        .v4.post(`${at}/${String(two.id)}`)
        .expect(409);
      await trellis.as(admin).v4.delete(at).expect(204);
      await trellis.as(admin).v4.delete(at).expect(304);
    });
  });

  describe('GET /projects', () => {
    it('lists all that the caller may see, and for strangers the public ones in the short form', async () => {
      const hidden = await trellis.factories.project(owner);
      const search = `search=${project.path}`;
      expect(await idsOf(stranger, search)).toEqual([project.id]);
      expect(await idsOf(stranger, `search=${hidden.path}`)).toEqual([]);
      const open = await trellis.anonymous.v4.get(`/projects?${search}`).expect(200);
      expect(open.body).toEqual([simple()]);
      const short = await trellis.as(owner).v4.get(`/projects?simple=true&${search}`);
      expect(short.body).toEqual([simple()]);
      const whole = await trellis.as(owner).v4.get(`/projects?${search}`);
      expect(whole.body).toEqual([{ ...full(), permissions: permissions(50) }]);
      await trellis.anonymous.v4.get('/projects?owned=true').expect(401);
    });

    it('selects by membership, level, ownership and visibility, which all have to match', async () => {
      const { factories } = trellis;
      const person = await factories.user();
      const own = await factories.project(person);
      const [low, high] = [
        await factories.project(owner, { visibilityLevel: 20 }),
        await factories.project(owner),
      ];
      await factories.addToProject(low, person, 20);
      await factories.addToProject(high, person, 40);
      const list = (query: string) => idsOf(person, `order_by=id&sort=asc&${query}`);
      expect(await list('membership=true')).toEqual([own.id, low.id, high.id]);
      expect(await list('min_access_level=30')).toEqual([own.id, high.id]);
      expect(await list('owned=true')).toEqual([own.id]);
      expect(await list('membership=true&visibility=public')).toEqual([low.id]);
      expect(await list('owned=true&min_access_level=50')).toEqual([own.id]);
      expect(await list('owned=true&starred=true')).toEqual([]);
    });

    it('searches full paths where namespaces are asked for', async () => {
      const text = encodeURIComponent(project.fullPath);
      expect(await idsOf(stranger, `search=${text}`)).toEqual([]);
      expect(await idsOf(stranger, `search=${text}&search_namespaces=true`)).toEqual([project.id]);
      const byOwner = `search=${owner.user.username}`;
      expect(await idsOf(stranger, byOwner)).toEqual([]);
      expect(await idsOf(stranger, `${byOwner}&search_namespaces=true`)).toContain(project.id);
    });

    it('selects by features, activity and ids', async () => {
      const person = await trellis.factories.user();
      const [one, two] = [
        await trellis.factories.project(person),
        await trellis.factories.project(person),
      ];
      await trellis.rows(
        `UPDATE projects SET issues_enabled = false, merge_requests_enabled = false,
                last_activity_at = '2001-02-03' WHERE id = $1`,
        [one.id],
      );
      const list = (query: string) => idsOf(person, `owned=true&${query}`);
      expect(await list('with_issues_enabled=true')).toEqual([two.id]);
      expect(await list('with_merge_requests_enabled=true')).toEqual([two.id]);
      expect(await list('last_activity_before=2002-01-01T00:00:00Z')).toEqual([one.id]);
      expect(await list('last_activity_after=2002-01-01T00:00:00Z')).toEqual([two.id]);
      expect(await list(`id_after=${String(one.id)}`)).toEqual([two.id]);
      expect(await list(`id_before=${String(two.id)}`)).toEqual([one.id]);
    });

    it('goes on by ids in keyset pages, with a link to the following page alone', async () => {
      const person = await trellis.factories.user();
      const made: number[] = [];
      for (let count = 0; count < 3; count += 1) {
        made.push((await trellis.factories.project(person)).id);
      }
      for (const [sort, expected] of [
        ['asc', made],
        ['desc', [...made].reverse()],
      ] as const) {
        const seen: number[] = [];
        let path: string | undefined =
          `/projects?pagination=keyset&order_by=id&sort=${sort}&owned=true&per_page=2`;
        while (path !== undefined) {
          const answer: Response = await trellis.as(person).v4.get(path).expect(200);
          seen.push(...(answer.body as Shown[]).map(({ id }) => id));
          const { link = '', ...others } = answer.headers as Partial<Record<string, string>>;
          expect(others).not.toHaveProperty('x-total');
          path = /^<[^>]*\/api\/v4(\/[^>]*)>; rel="next"$/.exec(link)?.[1];
        }
        expect(seen).toEqual(expected);
      }
      const refused = await trellis.as(person).v4.get('/projects?pagination=keyset&order_by=name');
      expect([refused.status, refused.body]).toEqual([
        405,
        { error: 'Keyset pagination is not yet available for this type of request' },
      ]);
    });
  });

  it('lists the personal projects of a user by id and name', async () => {
    const { factories } = trellis;
    const person = await factories.user();
    const shown = await factories.project(person, { visibilityLevel: 20 });
    await factories.project(person);
    for (const name of [String(person.user.id), person.user.username]) {
      expect(await idsOf(stranger, '', `/users/${name}/projects`)).toEqual([shown.id]);
    }
    const absent = await trellis.as(stranger).v4.get('/users/no-such-user/projects').expect(404);
    expect(absent.body).toEqual({ message: '404 User Not Found' });
  });
});
