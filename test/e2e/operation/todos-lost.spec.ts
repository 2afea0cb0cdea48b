import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, todosFor } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('todos in private projects', () => {
  let trellis: Trellis;
  let owner: Person;
  let mia: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
  });
  beforeEach(async () => {
    mia = await trellis.factories.user();
  });

  const url = ({ id }: MadeProject): string => `/projects/${String(id)}`;
  const leave = (path: string) =>
    trellis
      .as(owner)
      .delete(`${path}/members/${String(mia.user.id)}`)
      .expect(200);
  const mention = (project: MadeProject): Promise<IssueBody> =>
    openIssue(trellis, owner, project, { title: `@${mia.user.username} @${owner.user.username}` });
  const holders = async (issue: IssueBody) =>
    (await todosFor(trellis, issue)).map(({ user_id }) => user_id);

  it('are removed with the membership, done ones too; those of others stay', async () => {
    const project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, mia, 20);
    const [first, second] = [await mention(project), await mention(project)];
    await trellis.as(mia).delete('/todos').expect(200);
    await leave(url(project));
    expect(await holders(first)).toEqual([owner.user.id]);
    expect(await holders(second)).toEqual([owner.user.id]);
  });

  it('stay for users with another membership', async () => {
    const group = await trellis.factories.group(owner);
    const project = await trellis.factories.project(owner, { namespaceId: group.id });
    await trellis.factories.addToGroup(group, mia, 10);
    await trellis.factories.addToProject(project, mia, 20);
    const issue = await mention(project);
    await leave(url(project));
    expect(await holders(issue)).toContain(mia.user.id);
    await leave(`/groups/${String(group.id)}`);
    expect(await holders(issue)).toEqual([owner.user.id]);
  });

  it('are removed with a share, and with the membership of the shared group', async () => {
    const [group, other] = [
      await trellis.factories.group(owner),
      await trellis.factories.group(owner),
    ];
    const project = await trellis.factories.project(owner);
    for (const one of [group, other]) {
      await trellis.factories.addToGroup(one, mia, 30);
      await trellis.factories.share(project, one, 30);
    }
    const issue = await mention(project);
    await leave(`/groups/${String(group.id)}`);
    expect(await holders(issue)).toContain(mia.user.id);
    await trellis
      .as(owner)
      .delete(`${url(project)}/share/${String(other.id)}`)
      .expect(204);
    expect(await holders(issue)).toEqual([owner.user.id]);
  });

  it('are removed with a deleted group', async () => {
    const group = await trellis.factories.group(owner);
    const project = await trellis.factories.project(owner);
    await trellis.factories.addToGroup(group, mia, 30);
    await trellis.factories.share(project, group, 30);
    const issue = await mention(project);
    await trellis
      .as(owner)
      .delete(`/groups/${String(group.id)}`)
      .expect(200);
    expect(await holders(issue)).toEqual([owner.user.id]);
  });

  it.each([10, 20])('stay where the project has visibility %i', async (visibilityLevel) => {
    const project = await trellis.factories.project(owner, { visibilityLevel });
    await trellis.factories.addToProject(project, mia, 20);
    const issue = await mention(project);
    await leave(url(project));
    expect(await holders(issue)).toContain(mia.user.id);
  });
});
