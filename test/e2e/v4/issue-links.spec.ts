import type { MadeProject, Person } from '../../support/factories.js';
import { meetBeforeWriting } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface IssueBody {
  id: number;
  iid: number;
  project_id: number;
  references: { short: string; relative: string; full: string };
}

interface LinkBody {
  id: number;
  source_issue: IssueBody;
  target_issue: IssueBody;
  link_type: string;
}

interface RelatedBody extends IssueBody {
  issue_link_id: number;
}

const NO_LINK = { message: 'No Issue Link found' };
const NO_ISSUE = { message: '404 Not found' };
const TOO_MANY = { message: 'An issue cannot have more than 100 links' };

describe('links of issues', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const issueAt = ({ project_id: of, iid }: IssueBody) =>
    `/projects/${String(of)}/issues/${String(iid)}`;
  const at = (issue: IssueBody) => `${issueAt(issue)}/links`;
  const linkAt = (issue: IssueBody, { id }: LinkBody) => `${at(issue)}/${String(id)}`;
  const to = ({ project_id: of, iid }: IssueBody) => ({
    target_project_id: of,
    target_issue_iid: iid,
  });
  const make = async (of = project, body: object = {}): Promise<IssueBody> => {
    const path = `/projects/${String(of.id)}/issues`;
    const answer = await v4(owner)
      .post(path, { title: 'Linked', ...body })
      .expect(201);
    return answer.body as IssueBody;
  };
  const link = async (one: IssueBody, other: IssueBody): Promise<LinkBody> =>
    (await v4(owner).post(at(one), to(other)).expect(201)).body as LinkBody;
  const list = async (issue: IssueBody, by = owner): Promise<RelatedBody[]> =>
    (await v4(by).get(at(issue)).expect(200)).body as RelatedBody[];
  const listed = async (issue: IssueBody, by = owner): Promise<number[]> =>
    (await list(issue, by)).map(({ id }) => id);
  /** Adds links to new issues by SQL. */
  const addLinks = (issue: IssueBody, count: number) =>
    trellis.rows(
      `WITH last AS (SELECT max(iid) AS iid FROM issues WHERE project_id = $1), made AS (
         INSERT INTO issues (project_id, iid, author_id, title)
         SELECT $1, last.iid + 1000 + n, $2, 'Many' FROM last, generate_series(1, $4::int) n RETURNING id)
       INSERT INTO issue_links (source_id, target_id) SELECT id, $3 FROM made`,
      [issue.project_id, owner.user.id, issue.id, count],
    );

  it('requires a credential', async () => {
    const issue = await make();
    const path = `${at(issue)}/1`;
    const { v4: anonymous } = trellis.anonymous;
    const answers = await Promise.all([
      anonymous.get(at(issue)),
      anonymous.get(path),
      anonymous.post(at(issue), to(issue)),
      anonymous.delete(path),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  it('returns 400 for missing parameters and for other types of links', async () => {
    const [one, two] = [await make(), await make()];
    const { target_project_id, target_issue_iid } = to(two);
    await v4(owner).post(at(one), { target_issue_iid }).expect(400);
    await v4(owner).post(at(one), { target_project_id }).expect(400);
    await v4(owner)
      .post(at(one), { ...to(two), link_type: 'blocks' })
      .expect(400);
    expect(await listed(one)).toEqual([]);
  });

  it('relates both issues until the link is removed', async () => {
    const [one, two, three] = [await make(), await make(), await make()];
    const made = await link(one, two);
    await link(three, one);
    const [seen] = await list(two);
    expect(made).toEqual({
      id: expect.any(Number) as number,
      source_issue: expect.objectContaining({ id: one.id, title: 'Linked' }) as IssueBody,
      target_issue: expect.objectContaining({ id: two.id, title: 'Linked' }) as IssueBody,
      link_type: 'relates_to',
    });
    const linkedAt = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect(seen).toEqual({
      ...made.source_issue,
      references: { ...made.source_issue.references, relative: `#${String(one.iid)}` },
      issue_link_id: made.id,
      link_type: 'relates_to',
      link_created_at: linkedAt,
      link_updated_at: linkedAt,
    });
    expect(await listed(one)).toEqual([two.id, three.id]);
    expect((await v4(owner).get(linkAt(two, made)).expect(200)).body).toEqual(made);
    await v4(owner).get(linkAt(three, made)).expect(404, NO_LINK);
    await v4(owner).delete(linkAt(three, made)).expect(404, NO_LINK);
    expect((await v4(owner).delete(linkAt(two, made)).expect(200)).body).toEqual(made);
    await v4(owner).delete(linkAt(two, made)).expect(404, NO_LINK);
    expect([await listed(one), await listed(two)]).toEqual([[three.id], []]);
  });

  it('refuses a second link of two issues, and a link of an issue to itself', async () => {
    const [one, two] = [await make(), await make()];
    await link(one, two);
    const exists = { message: 'Issue(s) already assigned' };
    await v4(owner).post(at(one), to(two)).expect(409, exists);
    await v4(owner).post(at(two), to(one)).expect(409, exists);
    const itself = { message: 'Cannot link an issue to itself' };
    await v4(owner).post(at(one), to(one)).expect(400, itself);
    expect(await listed(one)).toEqual([two.id]);
  });

  it('refuses more than 100 links of either issue', async () => {
    const [full, other] = [await make(), await make()];
    await addLinks(full, 100);
    await v4(owner).post(at(full), to(other)).expect(400, TOO_MANY);
    await v4(owner).post(at(other), to(full)).expect(400, TOO_MANY);
    expect((await listed(full)).length).toBe(100);
    expect(await listed(other)).toEqual([]);
  });

  it('answers references as seen from the issue', async () => {
    const near = await trellis.factories.project(owner);
    const group = await trellis.factories.group(owner);
    const far = await trellis.factories.project(owner, { namespaceId: group.id });
    const [one, two, three] = [await make(), await make(near), await make(far)];
    await link(one, two);
    await link(three, one);
    expect((await list(one)).map(({ references }) => references.relative)).toEqual([
      `${near.path}#${String(two.iid)}`,
      `${group.path}/${far.path}#${String(three.iid)}`,
    ]);
  });

  it('takes the full path of the other project', async () => {
    const other = await trellis.factories.project(owner);
    const [one, two] = [await make(), await make(other)];
    const path = `${owner.user.username}/${other.path}`;
    await v4(owner)
      .post(at(one), { target_project_id: path, target_issue_iid: two.iid })
      .expect(201);
    expect(await listed(one)).toEqual([two.id]);
  });

  it('links and unlinks for reporters of both projects', async () => {
    const other = await trellis.factories.project(owner);
    const [one, two] = [await make(), await make(other)];
    const member = await trellis.factories.user();
    await trellis.factories.addToProject(project, member, 20);
    await trellis.factories.addToProject(other, member, 10);
    const message =
      "Couldn't link issue. You must have at least the Reporter role in both projects.";
    await v4(member).post(at(one), to(two)).expect(403, { message });
    await v4(member).post(at(two), to(one)).expect(403, { message });
    const made = await link(one, two);
    await v4(member).delete(linkAt(one, made)).expect(404, NO_LINK);
    await v4(member).delete(linkAt(two, made)).expect(404, NO_LINK);
    expect((await v4(member).get(linkAt(one, made)).expect(200)).body).toEqual(made);
    await v4(owner).delete(linkAt(one, made)).expect(200);
    const reporter = await trellis.factories.user();
    await trellis.factories.addToProject(project, reporter, 20);
    await trellis.factories.addToProject(other, reporter, 20);
    const { body } = await v4(reporter).post(at(one), to(two)).expect(201);
    await v4(reporter)
      .delete(linkAt(two, body as LinkBody))
      .expect(200);
    expect(await listed(one)).toEqual([]);
  });

  it('hides issues of projects that the reader does not see', async () => {
    const hidden = await trellis.factories.project(owner);
    const [one, secret] = [await make(), await make(hidden)];
    const member = await trellis.factories.user();
    await trellis.factories.addToProject(project, member, 40);
    const noProject = { message: '404 Project Not Found' };
    await v4(member).post(at(one), to(secret)).expect(404, noProject);
    await v4(member)
      .post(at(one), { ...to(secret), target_project_id: 2_000_000_000 })
      .expect(404, noProject);
    await v4(member)
      .post(at(one), { ...to(one), target_issue_iid: 2_000_000_000 })
      .expect(404, NO_ISSUE);
    const made = await link(one, secret);
    expect(await listed(one, member)).toEqual([]);
    await v4(member).get(linkAt(one, made)).expect(404, NO_LINK);
    await v4(member).delete(linkAt(one, made)).expect(404, NO_LINK);
    await v4(member).get(at(secret)).expect(404, noProject);
    expect(await listed(one)).toEqual([secret.id]);
  });

  it('hides confidential issues from those who may not read them', async () => {
    const [one, secret] = [await make(), await make(project, { confidential: true })];
    const guest = await trellis.factories.user();
    await trellis.factories.addToProject(project, guest, 10);
    const made = await link(one, secret);
    expect(await listed(one, guest)).toEqual([]);
    await v4(guest).get(linkAt(one, made)).expect(404, NO_LINK);
    await v4(guest).get(at(secret)).expect(404, NO_ISSUE);
    await v4(guest).post(at(one), to(secret)).expect(404, NO_ISSUE);
    await v4(owner)
      .put(issueAt(secret), { assignee_ids: [guest.user.id] })
      .expect(200);
    expect(await listed(one, guest)).toEqual([secret.id]);
  });

  it('hides issues of projects that have issues disabled', async () => {
    const other = await trellis.factories.project(owner);
    const [one, two] = [await make(), await make(other)];
    const made = await link(one, two);
    await v4(owner)
      .put(`/projects/${String(other.id)}`, { issues_access_level: 'disabled' })
      .expect(200);
    expect(await listed(one)).toEqual([]);
    await v4(owner).get(linkAt(one, made)).expect(404, NO_LINK);
    await v4(owner).post(at(one), to(two)).expect(404, NO_ISSUE);
    await v4(owner).post(at(two), to(one)).expect(403);
  });

  it('removes the links of a deleted issue', async () => {
    const [one, gone] = [await make(), await make()];
    const made = await link(one, gone);
    await v4(owner).delete(issueAt(gone)).expect(204);
    expect(await listed(one)).toEqual([]);
    await v4(owner).get(linkAt(one, made)).expect(404, NO_LINK);
    expect(await trellis.rows('SELECT FROM issue_links WHERE id = $1', [made.id])).toEqual([]);
  });

  it('hands the links of a moved issue over to the new one', async () => {
    const other = await trellis.factories.project(owner);
    const [moved, two, three] = [await make(), await make(), await make()];
    const links = [await link(moved, two), await link(three, moved)];
    const { body } = await v4(owner)
      .post(`${issueAt(moved)}/move`, { to_project_id: other.id })
      .expect(201);
    const copy = body as IssueBody;
    expect(await listed(moved)).toEqual([]);
    expect((await list(copy)).map((one) => [one.id, one.issue_link_id])).toEqual([
      [two.id, links[0]?.id],
      [three.id, links[1]?.id],
    ]);
    expect([await listed(two), await listed(three)]).toEqual([[copy.id], [copy.id]]);
  });

  it('makes one link when two are made at once in both directions', async () => {
    const [one, two] = [await make(), await make()];
    const answers = await meetBeforeWriting(trellis, 'issue_links', [
      v4(owner).post(at(one), to(two)),
      v4(owner).post(at(two), to(one)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await listed(one)).toEqual([two.id]);
  });

  it('makes one link when two are made at once and there is room for one', async () => {
    const [full, two, three] = [await make(), await make(), await make()];
    await addLinks(full, 99);
    const answers = await meetBeforeWriting(trellis, 'issue_links', [
      v4(owner).post(at(full), to(two)),
      v4(owner).post(at(three), to(full)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect((await listed(full)).length).toBe(100);
  });

  it('leaves no link when one is made while an issue is deleted', async () => {
    const [one, gone] = [await make(), await make()];
    const [made, deleted] = await meetBeforeWriting(trellis, 'issue_links', [
      v4(owner).post(at(one), to(gone)),
      v4(owner).delete(issueAt(gone)),
    ]);
    expect([201, 404]).toContain(made?.status);
    expect(deleted?.status).toBe(204);
    const rows = 'SELECT FROM issue_links WHERE source_id = $1';
    expect(await trellis.rows(rows, [one.id])).toEqual([]);
  });

  it('removes a link or moves it when both happen at once', async () => {
    const other = await trellis.factories.project(owner);
    const [moved, two] = [await make(), await make()];
    const made = await link(moved, two);
    const [removed, move] = await meetBeforeWriting(trellis, 'issue_links', [
      v4(owner).delete(linkAt(moved, made)),
      v4(owner).post(`${issueAt(moved)}/move`, { to_project_id: other.id }),
    ]);
    expect([200, 404]).toContain(removed?.status);
    expect(move?.status).toBe(201);
    const expected = removed?.status === 200 ? [] : [two.id];
    expect(await listed(move?.body as IssueBody)).toEqual(expected);
  });

  it('lists links with a constant number of statements', async () => {
    const [one, many] = [await make(), await make()];
    await addLinks(one, 1);
    await addLinks(many, 100);
    const count = async (issue: IssueBody) =>
      (await trellis.statements.during(() => list(issue))).length;
    expect(await count(many)).toBe(await count(one));
  });
});
