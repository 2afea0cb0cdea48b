import request from 'supertest';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, pathOf } from '../../support/issues.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface NoteBody {
  body: string;
}

describe('the texts of moved issues', () => {
  let trellis: Trellis;
  let owner: Person;
  let here: MadeProject;
  let there: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    here = await trellis.factories.project(owner);
    there = await trellis.factories.project(owner);
  });

  const made = (body: object = {}) => openIssue(trellis, owner, here, body);
  const moved = async (issue: IssueBody) => {
    const target = { to_project_id: there.id };
    const answer = await trellis
      .as(owner)
      .post(`${pathOf(issue)}/move`, target)
      .expect(200);
    return answer.body as IssueBody;
  };
  const read = async (issue: IssueBody) =>
    (await trellis.as(owner).get(pathOf(issue)).expect(200)).body as IssueBody;
  const notesOf = async (issue: IssueBody) =>
    (
      await trellis
        .as(owner)
        .get(`${pathOf(issue)}/notes`)
        .expect(200)
    ).body as NoteBody[];
  const note = (issue: IssueBody, body: string) =>
    trellis
      .as(owner)
      .post(`${pathOf(issue)}/notes`, { body })
      .expect(200);

  it('keep the meaning of their references', async () => {
    const other = await made({ title: 'Other' });
    const number = String(other.iid);
    const issue = await made({ description: `See #${number}, not \`#${number}\`` });
    await note(issue, `And #${number}`);
    const copy = await moved(issue);
    expect(copy.description).toBe(`See ${here.fullPath}#${number}, not \`#${number}\``);
    const [first] = await notesOf(copy);
    expect(first!.body).toBe(`And ${here.fullPath}#${number}`);
    expect((await read(issue)).description).toBe(issue.description);
  });

  it('link to copies of the attached files', async () => {
    const upload = async (name: string, content: string) => {
      const { body } = await trellis
        .as(owner)
        .call('post', `/projects/${String(here.id)}/uploads`)
        .attach('file', Buffer.from(content), { filename: name })
        .expect(200);
      return body as { url: string; markdown: string };
    };
    const [first, second] = [await upload('a.txt', 'one'), await upload('b.txt', 'two')];
    const gone = `/uploads/${'0'.repeat(32)}/gone.txt`;
    const issue = await made({ description: `${first.markdown} and ${first.url} and ${gone}` });
    await note(issue, `![x](${second.url})`);
    const copy = await moved(issue);
    const links = [...copy.description!.matchAll(/\/uploads\/[0-9a-f]{32}\/a\.txt/g)].map(String);
    expect(copy.description).toBe(`[a.txt](${links[0]!}) and ${links[0]!} and ${gone}`);
    expect(links[0]).not.toBe(first.url);
    const [moving] = await notesOf(copy);
    const [link] = /\/uploads\/[0-9a-f]{32}\/b\.txt/.exec(moving!.body)!;
    for (const [url, content] of [
      [links[0]!, 'one'],
      [link, 'two'],
    ] as const) {
      const file = await request(trellis.url)
        .get(`/${there.fullPath}${url}`)
        .set('PRIVATE-TOKEN', owner.token)
        .expect(200);
      expect(file.text).toBe(content);
    }
    const left = await request(trellis.url)
      .get(`/${here.fullPath}${first.url}`)
      .set('PRIVATE-TOKEN', owner.token)
      .expect(200);
    expect(left.text).toBe('one');
  });
});
