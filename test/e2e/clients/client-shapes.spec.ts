import type { Test } from 'supertest';
import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

type Body = Record<string, unknown>;

const FORM = 'application/x-www-form-urlencoded';

/** Requests as the existing v3 clients shape them, where a strict parser would stumble. */
describe('the request shapes of existing clients', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let other: Person;
  let project: MadeProject;
  let group: MadeGroup;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user();
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    group = await trellis.factories.group(owner);
  });

  const put = (path: string): Test => trellis.anonymous.call('put', path);
  const post = (path: string): Test => trellis.anonymous.call('post', path);
  const remove = (path: string): Test => trellis.anonymous.call('delete', path);
  const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

  describe('the credential', () => {
    it('is accepted in the form body of POST, PUT and DELETE, beside other fields', async () => {
      const private_token = owner.token;
      const name = `form-${unique()}`;
      const made = await post('/projects').send(form({ private_token, name })).expect(200);
      const id = String((made.body as Body)['id']);
      const description = 'changed';
      const changed = await put(`/projects/${id}`)
        .send(form({ private_token, id, description }))
        .expect(200);
      expect(changed.body).toMatchObject({ name, description });
      await remove(`/projects/${id}`).send(form({ id })).expect(401);
      await remove(`/projects/${id}`).send(form({ private_token, id })).expect(200);
      await trellis.as(owner).get(`/projects/${id}`).expect(404);
    });

    it('is accepted in the form body of deletions below a project and a group', async () => {
      const private_token = owner.token;
      await trellis.factories.addToProject(project, other, 20);
      await trellis.factories.addToGroup(group, other, 20);
      const user_id = String(other.user.id);
      for (const parent of [`/projects/${String(project.id)}`, `/groups/${group.path}`]) {
        const path = `${parent}/members/${user_id}`;
        await remove(path).send(form({ private_token, user_id })).expect(200);
        await trellis.as(owner).get(path).expect(404);
      }
    });

    it('is accepted in the query string of GET, after a bare question mark', async () => {
      await trellis.anonymous.get(`/user?private_token=${owner.token}`).expect(200);
      await trellis.as(owner).get('/user?').expect(200);
      await trellis.as(owner).get('/projects/owned?').expect(200);
    });

    it('is accepted as a bearer token when it is long', async () => {
      const token = `long-${unique()}${unique()}${unique()}`;
      await trellis.factories.user({ privateToken: token });
      await trellis.anonymous.get('/user').set('Authorization', `Bearer ${token}`).expect(200);
    });
  });

  describe('bodies', () => {
    it('of GET are ignored, JSON included', async () => {
      for (const path of [`/projects/${String(project.id)}`, '/groups?per_page=1', '/users']) {
        const plain = await trellis.as(owner).get(path).expect(200);
        const sent = trellis.as(owner).get(path).set('Content-Type', 'application/json');
        expect((await sent.send('{}').expect(200)).body).toEqual(plain.body);
        const broken = trellis.as(owner).get(path).set('Content-Type', 'application/json');
        expect((await broken.send('{"id":').expect(200)).body).toEqual(plain.body);
      }
    });

    it('of DELETE may be an empty JSON object', async () => {
      const made = await trellis.factories.project(owner);
      const path = `/projects/${String(made.id)}`;
      await trellis.as(owner).delete(`${path}/star`).send({}).expect(304);
      await trellis.as(owner).delete(path).send({}).expect(200);
    });

    it('of actions may be empty, with a form type, as JSON, or absent', async () => {
      const path = `/projects/${String(project.id)}`;
      const bare = (suffix: string) => trellis.as(owner).call('post', path + suffix);
      await bare('/star').set('Content-Type', FORM).expect(200);
      await bare('/archive').set('Content-Type', 'application/json').send('{}').expect(200);
      await bare('/unarchive').expect(200);
      const person = await trellis.factories.user();
      const block = () => trellis.as(admin).call('put', `/users/${String(person.user.id)}/block`);
      await block().set('Content-Type', FORM).expect(200, 'true');
    });

    it('may be empty when a client sends the changes in the query string', async () => {
      const path = `/projects/${String(project.id)}`;
      const asked = trellis.as(owner).call('put', `${path}?description=from+the+query`);
      const answer = await asked.set('Content-Type', FORM).expect(200);
      expect(answer.body).toMatchObject({ description: 'from the query' });
    });
  });

  describe('paths', () => {
    it('may have double and trailing slashes', async () => {
      const id = String(project.id);
      const member = `${id}//members//${String(owner.user.id)}`;
      for (const path of [
        `//projects/${id}/`,
        `/projects//${id}`,
        '/projects/owned/',
        '/groups//',
      ]) {
        await trellis.as(owner).get(path).expect(200);
      }
      await trellis.factories.addToProject(project, other, 20);
      await trellis
        .as(owner)
        .get(`/projects/${id}/members//${String(other.user.id)}/`)
        .expect(200);
      await trellis.as(owner).get(`/projects/${member}`).expect(200);
      const changes = { access_level: 30 };
      const changed = trellis
        .as(owner)
        .put(`/projects/${id}/members//${String(other.user.id)}`, changes);
      expect((await changed.expect(200)).body).toMatchObject(changes);
      await trellis
        .as(owner)
        .delete(`/projects/${id}/members//${String(other.user.id)}`)
        .expect(200);
    });

    it('may end in .json', async () => {
      for (const path of [
        '/user.json',
        '/groups.json?per_page=1',
        `/groups/${group.path}.json`,
        `/projects/${String(project.id)}.json`,
        `/projects/${encodeURIComponent(project.fullPath)}.json`,
      ]) {
        await trellis.as(owner).get(path).expect(200);
      }
    });

    it('name groups by path in any case, and projects by their encoded full path', async () => {
      const byPath = await trellis.as(owner).get(`/groups/${group.path.toUpperCase()}`).expect(200);
      expect(byPath.body).toMatchObject({ id: group.id, path: group.path, projects: [] });
      await trellis.as(owner).get(`/groups/${group.path}/members`).expect(200);
      for (const encoded of [
        encodeURIComponent(project.fullPath),
        encodeURIComponent(project.fullPath.toUpperCase()).replace('%2F', '%2f'),
      ]) {
        const answer = await trellis.as(owner).get(`/projects/${encoded}`).expect(200);
        expect(answer.body).toMatchObject({ id: project.id });
        await trellis.as(owner).get(`/projects/${encoded}/members`).expect(200);
      }
      const twice = encodeURIComponent(encodeURIComponent(project.fullPath));
      await trellis.as(owner).get(`/projects/${twice}`).expect(404);
      await trellis.as(owner).get(`/projects/${project.fullPath}`).expect(404);
    });
  });

  describe('parameters', () => {
    it('use the last value when repeated', async () => {
      await trellis.factories.project(owner);
      await trellis.factories.project(owner);
      const answer = await trellis
        .as(owner)
        .get('/projects/owned?per_page=3&per_page=2&page=2&page=1&per_page=1')
        .expect(200);
      expect(answer.body).toHaveLength(1);
      expect(answer.headers).toMatchObject({ 'x-per-page': '1', 'x-page': '1' });
      const sent = put(`/projects/${String(project.id)}`).set('PRIVATE-TOKEN', owner.token);
      const changed = await sent.send('description=one&description=two').expect(200);
      expect(changed.body).toMatchObject({ description: 'two' });
    });

    it('yield to the path when they repeat or contradict it', async () => {
      const second = await trellis.factories.project(owner);
      const body = { id: second.id, projectId: second.id, project_id: second.id };
      const path = `/projects/${String(project.id)}`;
      const description = unique();
      const changed = await trellis
        .as(owner)
        .put(path, { ...body, description })
        .expect(200);
      expect(changed.body).toMatchObject({ id: project.id, description });
      await trellis
        .as(owner)
        .get(`${path}?id=${String(second.id)}&user_id=7`)
        .expect(200);

      await trellis.factories.addToProject(project, other, 20);
      const member = `${path}/members/${String(other.user.id)}`;
      const given = { id: second.id, user_id: owner.user.id, access_level: '30' };
      const answer = await trellis.as(owner).put(member, given).expect(200);
      expect(answer.body).toMatchObject({ id: other.user.id, access_level: 30 });
      await trellis.as(owner).delete(member).send(given).expect(200);
      await trellis.as(owner).get(member).expect(404);

      const renamed = await trellis
        .as(admin)
        .put(`/users/${String(other.user.id)}`, { id: owner.user.id, user_id: 1, bio: 'x' })
        .expect(200);
      expect(renamed.body).toMatchObject({ id: other.user.id, bio: 'x' });
    });

    it('accept booleans and integers as strings too', async () => {
      const fields = {
        name: `strings-${unique()}`,
        issues_enabled: 'false',
        wiki_enabled: '0',
        snippets_enabled: 'yes',
        visibility_level: '20',
      };
      const made = await trellis.as(owner).call('post', '/projects').send(form(fields)).expect(200);
      expect(made.body).toMatchObject({
        issues_enabled: false,
        wiki_enabled: false,
        snippets_enabled: true,
        visibility_level: 20,
      });
      const name = `strings-${unique()}`;
      const person = await trellis
        .as(admin)
        .call('post', '/users')
        .send(
          form({
            name,
            username: name,
            email: `${name}@example.com`,
            password: 'a-long-password',
            projects_limit: '40',
            admin: 'true',
            external: 'f',
          }),
        )
        .expect(200);
      expect(person.body).toMatchObject({ projects_limit: 40, is_admin: true, external: false });
    });
  });

  describe('sudo', () => {
    const whoMade = ({ body }: { body: unknown }) => (body as { owner: Body }).owner['id'];

    it('is accepted in the body of creations and updates, by name and by ID', async () => {
      for (const sudo of [other.user.username, String(other.user.id), other.user.id]) {
        const made = await trellis
          .as(admin)
          .post('/projects', { name: unique(), sudo })
          .expect(200);
        expect(whoMade(made)).toBe(other.user.id);
      }
      const fields = form({ name: unique(), sudo: other.user.username });
      const made = await trellis.as(admin).call('post', '/projects').send(fields).expect(200);
      expect(whoMade(made)).toBe(other.user.id);
    });

    it('is accepted in the query string of every method, and as a header', async () => {
      const sudo = `sudo=${other.user.username}`;
      const asAdmin = trellis.as(admin);
      const made = await asAdmin.post(`/projects?${sudo}`, { name: unique() }).expect(200);
      expect(whoMade(made)).toBe(other.user.id);
      const path = `/projects/${String((made.body as Body)['id'])}`;
      const own = await asAdmin.get(`/projects/owned?${sudo}`).expect(200);
      expect((own.body as Body[]).map(({ id }) => id)).toContain((made.body as Body)['id']);
      await asAdmin.put(`${path}?${sudo}`, { description: 'theirs' }).expect(200);
      await asAdmin.delete(`/projects/${String(project.id)}?${sudo}`).expect(403);
      await asAdmin.delete(path).set('SUDO', String(other.user.id)).expect(200);
    });
  });
});
