/** @campaign hostile */
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AnswerSlots } from '../../../src/platform/http/answers/send-answer.js';
import { LONG_LISTS } from '../../../src/platform/limits/index.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { issuesOf, openIssue, pathOf } from '../../support/issues.js';
import { todosOf } from '../../support/todos.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { PATIENT_MS, withWait } from '../../support/with-wait.js';

jest.setTimeout(120_000);

/** More than a list loads at once, and three of them more than one of its later parts. */
const BYTES = 400_000;
const MIB = 1_048_576;

describe('lists of long texts', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
  });

  beforeEach(async () => {
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    project = await trellis.factories.project(owner);
  });

  const text = (letter: string): string => letter.repeat(BYTES);
  const texts = ['a', 'ä', 'c', 'd', 'e'].map(text);
  const list = async (path: string) => {
    const { body, headers } = await trellis.as(owner).get(path).expect(200);
    return { items: body as Record<string, unknown>[], headers: headers as Record<string, string> };
  };
  const api = `/projects/`;
  const at = (rest: string): string => `${api}${String(project.id)}${rest}`;

  it('contain all issues with all their descriptions, in order', async () => {
    for (const [index, description] of ['short', ...texts, ''].entries()) {
      await openIssue(trellis, owner, project, { title: `Issue ${String(index)}`, description });
    }
    const query = '?per_page=100&order_by=created_at&sort=asc';
    const { items, headers } = await list(`${issuesOf(project)}${query}`);
    expect(items.map(({ description }) => description)).toEqual(['short', ...texts, '']);
    expect(headers).toMatchObject({ 'x-total': '7', 'content-type': 'application/json' });
    expect(headers['content-length']).toBeUndefined();
    const { items: page } = await list(`${issuesOf(project)}${query}&per_page=3&page=2`);
    expect(page.map(({ description }) => description)).toEqual(texts.slice(2));
    const { items: own } = await list('/issues?sort=asc');
    expect(own).toEqual(items);
    const { headers: head } = await trellis.as(owner).call('head', issuesOf(project)).expect(200);
    expect((head as Record<string, string>)['x-total']).toBe('7');
  });

  it('contain all merge requests with their descriptions', async () => {
    await trellis.rows(
      `INSERT INTO merge_requests (project_id, source_project_id, iid, author_id, title, description,
                                   source_branch, target_branch)
       SELECT $1, $1, n, $2, 'Request ' || n, description, 'topic-' || n, 'master'
         FROM unnest($3::text[]) WITH ORDINALITY AS given (description, n)`,
      [project.id, owner.user.id, texts],
    );
    const { items } = await list(at('/merge_requests?sort=asc&per_page=100'));
    expect(items.map(({ description }) => description)).toEqual(texts);
  });

  it('contain milestones, and show them with short issues', async () => {
    const made = await Promise.all(
      texts.map(async (description, index) => {
        const input = { title: `Milestone ${String(index)}`, description };
        const { body } = await trellis.as(owner).post(at('/milestones'), input).expect(200);
        return body as { id: number };
      }),
    );
    const { items } = await list(at('/milestones'));
    expect(items.map(({ description }) => description).sort()).toEqual([...texts].sort());
    for (let index = 0; index < 5; index += 1) {
      const milestone = { milestone_id: made[index % 2]!.id };
      await openIssue(trellis, owner, project, milestone);
    }
    const { items: issues } = await list(`${issuesOf(project)}?sort=asc`);
    expect(issues.map(({ milestone }) => (milestone as { id: number }).id)).toEqual(
      [0, 1, 0, 1, 0].map((index) => made[index]!.id),
    );
    expect(issues[4]).toMatchObject({ milestone: { description: texts[0] } });
  });

  it('contain notes, and events and todos that show them', async () => {
    const issue = await openIssue(trellis, owner, project, { description: text('x') });
    const reader = await trellis.factories.user();
    await trellis.factories.addToProject(project, reader, 20);
    for (const [index, body] of texts.entries()) {
      const mention = index === 1 ? `@${reader.user.username} ` : '';
      await trellis
        .as(owner)
        .post(`${pathOf(issue)}/notes`, { body: `${mention}${body}` })
        .expect(200);
    }
    const { items } = await list(`${pathOf(issue)}/notes`);
    expect(items.map(({ body }) => (body as string).length)).toEqual(
      texts.map((_, index) => BYTES + (index === 1 ? reader.user.username.length + 2 : 0)),
    );
    const { items: events } = await list(at('/events'));
    const notes = events.flatMap(({ note }) => (note as { body: string } | undefined) ?? []);
    expect(notes.map(({ body }) => body)).toEqual(items.map(({ body }) => body).reverse());
    const [todo] = await todosOf(trellis, reader);
    expect(todo).toMatchObject({ body: items[1]?.['body'], target: { description: text('x') } });
  });

  it('contain the comments on a commit, and the release notes of tags', async () => {
    const file = { file_path: 'a', branch_name: 'master', commit_message: 'a', content: 'a' };
    await trellis.as(owner).post(at('/repository/files'), file).expect(200);
    for (const [index, note] of texts.entries()) {
      await trellis.as(owner).post(at('/repository/commits/master/comments'), { note }).expect(200);
      const tag = { tag_name: `v${String(index)}`, ref: 'master', release_description: note };
      await trellis.as(owner).post(at('/repository/tags'), tag).expect(200);
    }
    const { items } = await list(at('/repository/commits/master/comments'));
    expect(items.map(({ note }) => note)).toEqual(texts);
    const { items: tags } = await list(at('/repository/tags'));
    expect(tags.map(({ release }) => (release as { description: string }).description)).toEqual(
      [...texts].reverse(),
    );
  });

  it('are sent completely to many readers, even when others do not read', async () => {
    await trellis.rows(
      `INSERT INTO issues (project_id, iid, author_id, title, description)
       SELECT $1, n, $2, 'Issue ' || n, repeat('x', $3) FROM generate_series(1, 30) n`,
      [project.id, owner.user.id, MIB],
    );
    const path = `${issuesOf(project)}?per_page=100`;
    const unread: ClientRequest[] = [];
    const open = async (): Promise<IncomingMessage> => {
      const request = get(`${trellis.url}/api/v3${path}`, {
        agent: false,
        headers: { 'PRIVATE-TOKEN': owner.token },
      });
      unread.push(request);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response;
    };
    for (let index = 0; index < LONG_LISTS.perAddress; index += 1) {
      expect((await open()).statusCode).toBe(200);
    }
    // The next one waits, as long as it may.
    const refused = await open();
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('20');
    await trellis.as(owner).get('/user').expect(200);
    const lists = await withWait(LONG_LISTS, PATIENT_MS, () => {
      const waiting = Array.from({ length: 6 }, () => list(path));
      for (const request of unread) request.destroy();
      return Promise.all(waiting);
    });
    for (const { items } of lists) {
      expect(items).toHaveLength(30);
      expect(items.every(({ description }) => (description as string).length === MIB)).toBe(true);
    }
  });
});

describe('long lists of several addresses', () => {
  let trellis: Trellis;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const owner = await trellis.factories.user();
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis.rows(
      `INSERT INTO issues (project_id, iid, author_id, title, description)
       SELECT $1, n, $2, 'Issue ' || n, repeat('x', $3) FROM generate_series(1, 30) n`,
      [project.id, owner.user.id, MIB],
    );
  });

  it('leave slots to another one while four do not read theirs', async () => {
    const { longLists } = Reflect.get(trellis.app.getHttpAdapter(), 'slots') as AnswerSlots;
    const { port } = new URL(trellis.url);
    const open = (localAddress: string, { token }: Person): ClientRequest => {
      const where = { host: '127.0.0.1', port, path: `/api/v3${issuesOf(project)}?per_page=100` };
      const sent = get({
        ...where,
        localAddress,
        agent: false,
        headers: { 'PRIVATE-TOKEN': token },
      });
      // Node reads and drops an answer that nothing listens for.
      sent.on('response', () => undefined);
      sent.on('error', () => undefined);
      return sent;
    };
    const addresses = [2, 2, 3, 3, 4, 4, 5, 5].map((host) => `127.0.0.${String(host)}`);
    const readers: Person[] = [];
    while (readers.length < addresses.length) readers.push(await trellis.factories.user());
    const last = await trellis.factories.user();
    const unread: ClientRequest[] = [];
    await withWait(LONG_LISTS, PATIENT_MS, async () => {
      for (const [index, reader] of readers.entries()) {
        unread.push(open(addresses[index] ?? '', reader));
      }
      const lines = Reflect.get(longLists, 'lines') as ReadonlyMap<string, unknown[]>;
      const waiting = () => [...lines.values()].flat().length;
      await until(() => Promise.resolve(longLists.taken + waiting() === unread.length));
      const { body } = await trellis
        .as(last)
        .get(`${issuesOf(project)}?per_page=100`)
        .expect(200);
      expect(body).toHaveLength(30);
    });
    for (const request of unread) request.destroy();
    await until(() => Promise.resolve(longLists.taken === 0));
  });
});

describe('long lists that wait for a slot', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
    await trellis.rows(
      `INSERT INTO issues (project_id, iid, author_id, title, description)
       SELECT $1, n, $2, 'Issue ' || n, repeat('x', $3) FROM generate_series(1, 30) n`,
      [project.id, owner.user.id, MIB],
    );
  });

  /** Asks while others take all slots of the address, and frees these after something has happened. */
  async function askAmid(reader: Person, happen: () => Promise<unknown>) {
    const path = `${trellis.url}/api/v3${issuesOf(project)}?per_page=100`;
    const request = async (token: string): Promise<IncomingMessage> => {
      const sent = get(path, { agent: false, headers: { 'PRIVATE-TOKEN': token } });
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response;
    };
    return withWait(LONG_LISTS, PATIENT_MS, async () => {
      const unread: IncomingMessage[] = [];
      for (let index = 0; index < LONG_LISTS.perAddress; index += 1) {
        unread.push(await request(owner.token));
      }
      const { longLists } = Reflect.get(trellis.app.getHttpAdapter(), 'slots') as AnswerSlots;
      const lines = Reflect.get(longLists, 'lines') as ReadonlyMap<string, unknown[]>;
      const answer = request(reader.token);
      await until(() => Promise.resolve(lines.size > 0));
      const since = performance.now();
      await happen();
      // A check counts for a moment.
      await until(() => Promise.resolve(performance.now() - since > 200));
      for (const response of unread) response.destroy();
      const received = await answer;
      received.destroy();
      return { statusCode: received.statusCode, total: received.headers['x-total'] };
    });
  }

  const member = async (): Promise<Person> => {
    const reader = await trellis.factories.user();
    await trellis.factories.addToProject(project, reader, 30);
    return reader;
  };

  it('are refused to a reader who has left the project meanwhile', async () => {
    const reader = await member();
    const path = `/projects/${String(project.id)}/members/${String(reader.user.id)}`;
    const leave = () => trellis.as(owner).delete(path).expect(200);
    expect(await askAmid(reader, leave)).toEqual({ statusCode: 404, total: undefined });
  });

  it('are refused to a reader who was blocked meanwhile', async () => {
    const reader = await member();
    const admin = await trellis.factories.admin();
    const block = () =>
      trellis
        .as(admin)
        .put(`/users/${String(reader.user.id)}/block`)
        .expect(200);
    expect(await askAmid(reader, block)).toEqual({ statusCode: 401, total: undefined });
  });

  it('are sent to a reader who is still a member', async () => {
    const reader = await member();
    const sent = await askAmid(reader, () => Promise.resolve());
    expect(sent).toEqual({ statusCode: 200, total: '30' });
  });
});

describe('lists of commits with long messages', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.shared();
  });

  it('show equal shares of them, and complete messages of single commits', async () => {
    const owner = await trellis.factories.user();
    const { id } = await trellis.factories.project(owner);
    const repository = `/projects/${String(id)}/repository`;
    const message = 'm'.repeat(150_000);
    for (let index = 0; index < 20; index += 1) {
      const file = { file_path: `f${String(index)}`, branch_name: 'master', content: 'a' };
      await trellis
        .as(owner)
        .post(`${repository}/files`, { ...file, commit_message: message })
        .expect(200);
    }
    const { body } = await trellis.as(owner).get(`${repository}/commits?per_page=100`).expect(200);
    const commits = body as { id: string; message: string }[];
    const share = Math.floor(MIB / 20);
    expect(commits.map((commit) => commit.message)).toEqual(
      Array.from({ length: 20 }, () => `${'m'.repeat(share)}…`),
    );
    const { body: few } = await trellis
      .as(owner)
      .get(`${repository}/commits?per_page=2`)
      .expect(200);
    expect((few as { message: string }[])[1]?.message).toBe(`${'m'.repeat(65_536)}…`);
    const single = await trellis
      .as(owner)
      .get(`${repository}/commits/${commits[0]!.id}`)
      .expect(200);
    expect((single.body as { message: string }).message).toBe(message);
  });
});
