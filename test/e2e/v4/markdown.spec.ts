import type { MadeProject, Person } from '../../support/factories.js';
import { makeMilestone, openIssue } from '../../support/issues.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const LONGEST_TEXT = 1024 * 1024;

interface Address {
  web_url: string;
}

describe('POST /api/v4/markdown', () => {
  let trellis: Trellis;
  let owner: Person;
  let stranger: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    stranger = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    made = await projects.make();
    ({ project } = made);
  });
  afterAll(() => projects.remove());

  const v4 = (person = owner) => trellis.as(person).v4;

  /** The HTML of a text with references. */
  async function html(
    text: string,
    { reader = owner, home = project }: { reader?: Person; home?: MadeProject | null } = {},
  ): Promise<string> {
    const body = { text, gfm: true, ...(home && { project: home.fullPath }) };
    const answer = await v4(reader).post('/markdown', body).expect(201);
    return (answer.body as { html: string }).html;
  }

  const paragraph = (content: string) => `<p dir="auto">${content}</p>\n`;
  const page = (rest = '', { fullPath } = project) => `${trellis.url}/${fullPath}${rest}`;
  const link = (type: string, href: string, title: string, content: string) =>
    `<a href="${href}" title="${title}" class="gfm gfm-${type}" data-reference-type="${type}">${content}</a>`;

  it('is 401 without a credential', async () => {
    const { body } = await trellis.anonymous.v4.post('/markdown', { text: 'a' }).expect(401);
    expect(body).toEqual({ message: '401 Unauthorized' });
  });

  it('is 400 without a text, and for one that is too long', async () => {
    const { body } = await v4().post('/markdown', { gfm: true }).expect(400);
    expect(body).toEqual({ error: 'text is missing' });
    await v4()
      .post('/markdown', { text: 'a'.repeat(LONGEST_TEXT + 1) })
      .expect(400);
  });

  it('is 404 for a project that the caller does not see, as for one that does not exist', async () => {
    const absent = { message: '404 Project Not Found' };
    for (const name of [project.fullPath, String(project.id), 'nobody/nothing', 'nothing']) {
      const { body } = await v4(stranger)
        .post('/markdown', { text: 'a', project: name })
        .expect(404);
      expect(body).toEqual(absent);
    }
  });

  it('renders plain Markdown without references', async () => {
    await openIssue(trellis, owner, project);
    const text = '**a** #1 :tada:';
    const { body } = await v4().post('/markdown', { text, project: project.id }).expect(201);
    expect(body).toEqual({ html: paragraph('<strong>a</strong> #1 :tada:') });
  });

  it('links issues and merge requests at their addresses', async () => {
    const { iid } = await openIssue(trellis, owner, project, { title: 'A "<b>" & more' });
    const { work } = made;
    await work.commitAll(['Topic']);
    await work.push('HEAD:refs/heads/topic');
    const request = { source_branch: 'topic', target_branch: 'master', title: 'Theirs' };
    const path = `/projects/${String(project.id)}`;
    const opened = await v4().post(`${path}/merge_requests`, request).expect(201);
    const issue = await v4()
      .get(`${path}/issues/${String(iid)}`)
      .expect(200);
    const title = 'A &quot;&lt;b&gt;&quot; &amp; more';
    const { web_url: ofIssue } = issue.body as Address;
    const { web_url: ofRequest, iid: number } = opened.body as Address & { iid: number };
    const linked = (content: string) => link('issue', ofIssue, title, content);
    const written = `#${String(iid)}`;
    expect(
      await html(`${written} ${ofIssue} ${page(`/issues/${String(iid)}`)} !${String(number)}`),
    ).toBe(
      paragraph(
        `${linked(written)} ${linked(written)} ${linked(written)} ` +
          link('merge_request', ofRequest, 'Theirs', `!${String(number)}`),
      ),
    );
    const full = `${project.fullPath}${written}`;
    expect(await html(`${written} ${full} ${ofIssue}`, { home: null })).toBe(
      paragraph(`${written} ${linked(full)} ${linked(full)}`),
    );
  });

  it('links labels, milestones, people, groups and commits', async () => {
    const path = `/projects/${String(project.id)}`;
    await v4().post(`${path}/labels`, { name: 'in review', color: '#ff0000' }).expect(201);
    await makeMilestone(trellis, project, 'v1.0');
    const group = await trellis.factories.group(owner);
    const { username, name } = owner.user;
    const head = made.head;
    const short = head.slice(0, 8);
    expect(await html(`~"in review" %v1.0 %1 @${username} @${group.path} @all ${short}`)).toBe(
      paragraph(
        [
          link(
            'label',
            page('/-/issues?label_name%5B%5D=in+review'),
            'in review',
            '~&quot;in review&quot;',
          ),
          link('milestone', page('/-/milestones/1'), 'v1.0', '%v1.0'),
          link('milestone', page('/-/milestones/1'), 'v1.0', '%1'),
          link('project_member', `${trellis.url}/${username}`, name, `@${username}`),
          link(
            'project_member',
            `${trellis.url}/groups/${group.path}`,
            group.name,
            `@${group.path}`,
          ),
          link('project_member', page(), project.path, '@all'),
          link('commit', page(`/-/commit/${head}`), head, short),
        ].join(' '),
      ),
    );
  });

  it('links labels and milestones of the group of a project', async () => {
    const group = await trellis.factories.group(owner, { visibilityLevel: 0 });
    const home = await trellis.factories.project(owner, {
      namespaceId: group.id,
      visibilityLevel: 0,
    });
    const path = `/groups/${String(group.id)}`;
    await v4().post(`${path}/labels`, { name: 'shared', color: '#ff0000' }).expect(201);
    await v4().post(`${path}/milestones`, { title: 'v9' }).expect(201);
    const base = `${trellis.url}/${home.fullPath}`;
    const text = '~shared %v9 %1';
    expect(await html(text, { home })).toBe(
      paragraph(
        [
          link('label', `${base}/-/issues?label_name%5B%5D=shared`, 'shared', '~shared'),
          link('milestone', `${trellis.url}/groups/${group.path}/-/milestones/1`, 'v9', '%v9'),
          '%1',
        ].join(' '),
      ),
    );
    const full = `${home.fullPath}~shared ${home.fullPath}%v9`;
    expect(await html(full, { home: project })).toContain('class="gfm');
    const open = await trellis.factories.project(owner, { visibilityLevel: 20 });
    expect(await html(full, { reader: stranger, home: open })).toBe(paragraph(full));
  });

  it('shows what the caller may not read as what does not exist', async () => {
    const open = await trellis.factories.project(owner, { visibilityLevel: 20 });
    const { iid } = await openIssue(trellis, owner, open, { confidential: true });
    await openIssue(trellis, owner, project);
    await v4()
      .post(`/projects/${String(project.id)}/labels`, { name: 'secret', color: '#ff0000' })
      .expect(201);
    await makeMilestone(trellis, project, 'hidden');
    const group = await trellis.factories.group(owner, { visibilityLevel: 0 });
    const texts = [
      `#${String(iid)}`,
      `${project.fullPath}#1`,
      `${project.fullPath}~secret`,
      `${project.fullPath}%hidden`,
      `@${group.path}`,
      made.head,
    ];
    for (const text of texts) {
      expect(await html(text, { reader: stranger, home: open })).toBe(paragraph(text));
    }
    const address = page('/-/issues/1');
    expect(await html(address, { reader: stranger, home: open })).toBe(
      paragraph(`<a href="${address}">${address}</a>`),
    );
    // The owner is shown a link for each but the commit, which is in another project.
    for (const text of [...texts.slice(0, -1), address]) {
      expect(await html(text, { home: open })).toContain('class="gfm');
    }
  });

  it('links labels and milestones of the group of a project, and its numbers to none', async () => {
    const group = await trellis.factories.group(owner);
    const home = await trellis.factories.project(owner, { namespaceId: group.id });
    const path = `/groups/${String(group.id)}`;
    await v4().post(`${path}/labels`, { name: 'shared', color: '#ff0000' }).expect(201);
    await v4().post(`${path}/milestones`, { title: 'v2.0' }).expect(201);
    const label = page('/-/issues?label_name%5B%5D=shared', home);
    const milestone = `${trellis.url}/groups/${group.path}/-/milestones/1`;
    expect(await html('~shared %v2.0 %1', { home })).toBe(
      paragraph(
        `${link('label', label, 'shared', '~shared')} ${link('milestone', milestone, 'v2.0', '%v2.0')} %1`,
      ),
    );
  });

  it('shows neither labels nor milestones where issues and merge requests are off', async () => {
    const other = await trellis.factories.project(owner);
    const { iid } = await openIssue(trellis, owner, other, { labels: 'bug' });
    await makeMilestone(trellis, other, 'v1');
    const text = `#${String(iid)} ~bug %v1`;
    expect((await html(text, { home: other })).match(/class="gfm/g)).toHaveLength(3);
    await trellis.rows(
      `UPDATE projects SET issues_enabled = false, merge_requests_enabled = false WHERE id = $1`,
      [other.id],
    );
    expect(await html(text, { home: other })).toBe(paragraph(text));
  });

  it('links a moved label of another case to nothing', async () => {
    await v4()
      .post(`/projects/${String(project.id)}/labels`, { name: 'Case', color: '#ff0000' })
      .expect(201);
    expect(await html('~case')).toBe(paragraph('~case'));
  });

  it('links no branch whose name looks like a hash', async () => {
    await made.work.push('HEAD:refs/heads/deadbeef');
    expect(await html('deadbeef')).toBe(paragraph('deadbeef'));
  });

  it('resolves relative addresses in the project', async () => {
    const secret = '0123456789abcdef0123456789abcdef';
    expect(await html(`![a](/uploads/${secret}/a.png) [b](docs/b.md)`)).toBe(
      paragraph(
        `<img src="${page(`/uploads/${secret}/a.png`)}" alt="a" /> ` +
          `<a href="${page('/-/blob/master/docs/b.md')}">b</a>`,
      ),
    );
  });

  it('takes as many statements for many references as for few, and links the first 1,000', async () => {
    const other = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis.rows(
      `INSERT INTO issues (project_id, iid, title, author_id)
       SELECT $1, n, 'Of many', $2 FROM generate_series(1, 1001) n`,
      [other.id, owner.user.id],
    );
    const statementsFor = (text: string) =>
      trellis.statements.during(() => html(text, { home: other }));
    const { fullPath } = project;
    const few = await statementsFor(`#1 ${fullPath}#1 ~a %a @a`);
    const numbers = Array.from({ length: 1_001 }, (_, index) => index + 1);
    const many = await statementsFor(
      numbers
        .slice(0, 200)
        .map((n) => `#${n} a${n}/b#1 ~a${n} %a${n} @a${n}`)
        .join(' '),
    );
    expect(many).toHaveLength(few.length);
    const all = await html(numbers.map((n) => `#${n}`).join(' '), { home: other });
    expect(all.match(/<a /g)).toHaveLength(1_000);
    expect(all).toContain(' #1001</p>');
  });
});
