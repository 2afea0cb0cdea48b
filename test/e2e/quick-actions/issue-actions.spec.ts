import type { MadeProject, Person } from '../../support/factories.js';
import { QueueingHook } from '../../support/hooks.js';
import { issuesOf } from '../../support/issues.js';
import { meetBeforeWriting, waitingFor, whileLocked } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

interface Issue {
  id: number;
  iid: number;
  state: string;
  title: string;
  description: string;
  labels: string[];
  assignees: { id: number }[];
  milestone: { id: number } | null;
  due_date: string | null;
  confidential: boolean;
  subscribed: boolean;
  time_stats: { time_estimate: number; total_time_spent: number };
}

interface Row {
  body: string;
  system: boolean;
}

const FAILED = { message: '400 Bad request - Failed to apply commands.' };

describe('quick actions of issues', () => {
  let trellis: Trellis;
  let owner: Person;
  let reporter: Person;
  let guest: Person;
  let stranger: Person;
  let project: MadeProject;
  let milestoneId: number;
  let labelIds: Record<string, number>;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    owner = await factories.user();
    reporter = await factories.user();
    guest = await factories.user();
    stranger = await factories.user();
    project = await factories.project(owner, { visibilityLevel: 20 });
    await factories.addToProject(project, reporter, 20);
    await factories.addToProject(project, guest, 10);
    labelIds = {};
    for (const name of ['bug', 'to do', 'done']) {
      const at = `/projects/${String(project.id)}/labels`;
      const { body } = await v4(owner).post(at, { name, color: '#112233' }).expect(201);
      labelIds[name] = (body as { id: number }).id;
    }
    const at = `/projects/${String(project.id)}/milestones`;
    const { body } = await v4(owner).post(at, { title: 'Version 1' }).expect(201);
    milestoneId = (body as { id: number }).id;
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const make = async (by = owner, fields: object = {}): Promise<Issue> => {
    const { body } = await v4(by)
      .post(issuesOf(project), { title: 'One', ...fields })
      .expect(201);
    return body as Issue;
  };
  const at = ({ iid }: Issue, rest = ''): string => `${issuesOf(project)}/${String(iid)}${rest}`;
  const read = async (issue: Issue, by = owner): Promise<Issue> =>
    (await v4(by).get(at(issue)).expect(200)).body as Issue;
  const comment = (issue: Issue, body: string, by = owner) =>
    v4(by).post(at(issue, '/notes'), { body });
  const notesOn = ({ id }: Issue): Promise<Row[]> =>
    trellis.rows<Row>(
      `SELECT body, system FROM notes WHERE noteable_type = 'Issue' AND noteable_id = $1 ORDER BY id`,
      [id],
    );
  const written = async (issue: Issue): Promise<string[]> =>
    (await notesOn(issue)).flatMap(({ body, system }) => (system ? [] : [body]));
  const noted = async (issue: Issue): Promise<string[]> =>
    (await notesOn(issue)).flatMap(({ body, system }) => (system ? [body] : []));

  it('closes an issue by a note of that alone, which both versions answer alike and write no note of', async () => {
    const [one, other] = [await make(), await make()];
    const answer = {
      commands_changes: { state_event: 'close' },
      summary: ['Closed this issue.'],
    };
    expect((await comment(one, '/close').expect(202)).body).toEqual(answer);
    const path = `${issuesOf(project)}/${String(other.id)}/notes`;
    const { body } = await trellis.as(owner).post(path, { body: '/close' }).expect(202);
    expect(body).toEqual(answer);
    for (const issue of [one, other]) {
      expect((await read(issue)).state).toBe('closed');
      expect(await written(issue)).toEqual([]);
      expect(await noted(issue)).toEqual(['closed']);
    }
  });

  it('carries out the actions of a note and removes their lines from it', async () => {
    const issue = await make();
    const { body } = await comment(
      issue,
      'All is well.\n/label ~bug ~"to do"\n/milestone %"Version 1"\n\nBye.\n/due 2030-01-02',
    ).expect(201);
    expect(body).toMatchObject({ body: 'All is well.\n\nBye.' });
    expect(await read(issue)).toMatchObject({
      labels: ['bug', 'to do'],
      milestone: { id: milestoneId },
      due_date: '2030-01-02',
    });
    expect(await written(issue)).toEqual(['All is well.\n\nBye.']);
    expect(await noted(issue)).toEqual([
      expect.stringMatching(/^changed milestone to %/),
      expect.stringMatching(/^added ~\d+ ~\d+ labels$/),
    ]);
  });

  it('answers what each action has changed', async () => {
    const issue = await make(owner, { labels: 'done' });
    const lines: [line: string, changes: object, sentence: string][] = [
      ['/title A better one', { title: 'A better one' }, 'Changed the title to "A better one".'],
      ['/label ~bug', { add_label_ids: [labelIds['bug']] }, 'Added ~"bug" label.'],
      ['/unlabel ~done', { remove_label_ids: [labelIds['done']] }, 'Removed ~"done" label.'],
      [
        '/relabel "to do"',
        { label_ids: [labelIds['to do']] },
        'Replaced all labels with ~"to do" label.',
      ],
      ['/unlabel', { label_ids: [] }, 'Removed all labels.'],
      [
        `/assign @${reporter.user.username} me`,
        { assignee_ids: [reporter.user.id, owner.user.id] },
        `Assigned @${reporter.user.username} @${owner.user.username}.`,
      ],
      [
        '/unassign me',
        { assignee_ids: [reporter.user.id] },
        `Removed assignee @${owner.user.username}.`,
      ],
      ['/unassign', { assignee_ids: [] }, 'Removed all assignees.'],
      [
        '/milestone %"Version 1"',
        { milestone_id: milestoneId },
        'Set the milestone to %"Version 1".',
      ],
      ['/remove_milestone', { milestone_id: null }, 'Removed the milestone.'],
      ['/due 2031-05-06', { due_date: '2031-05-06' }, 'Set the due date to 2031-05-06.'],
      ['/remove_due_date', { due_date: null }, 'Removed the due date.'],
      ['/todo', { todo_event: 'add' }, 'Added a to-do item.'],
      ['/done', { todo_event: 'done' }, 'Marked to-do item as done.'],
      ['/unsubscribe', { subscription_event: 'unsubscribe' }, 'Unsubscribed from this issue.'],
      ['/subscribe', { subscription_event: 'subscribe' }, 'Subscribed to this issue.'],
      ['/award :tada:', { emoji_award: 'tada' }, 'Toggled :tada: emoji award.'],
      ['/react :tada:', { emoji_award: 'tada' }, 'Toggled :tada: emoji award.'],
      ['/estimate 1d 2h', { time_estimate: 36_000 }, 'Set time estimate to 1d 2h.'],
      ['/spend 1h 30m', { spend_time: 5_400 }, 'Added 1h 30m spent time.'],
      ['/spend -30m', { spend_time: -1_800 }, 'Subtracted 30m spent time.'],
      ['/confidential', { confidential: true }, 'Made this issue confidential.'],
      ['/close', { state_event: 'close' }, 'Closed this issue.'],
      ['/reopen', { state_event: 'reopen' }, 'Reopened this issue.'],
    ];
    for (const [line, changes, sentence] of lines) {
      const { body } = await comment(issue, line).expect(202);
      expect([line, body]).toEqual([line, { commands_changes: changes, summary: [sentence] }]);
    }
    expect(await read(issue)).toMatchObject({
      title: 'A better one',
      labels: [],
      assignees: [],
      milestone: null,
      due_date: null,
      confidential: true,
      state: 'opened',
      subscribed: true,
      time_stats: { time_estimate: 36_000, total_time_spent: 3_600 },
    });
    expect(await written(issue)).toEqual([]);
    const awards = await v4(owner).get(at(issue, '/award_emoji')).expect(200);
    expect(awards.body).toEqual([]);
  });

  it.each([
    '/reopen',
    '/label ~unknown',
    '/unlabel ~bug',
    '/relabel ~unknown',
    '/assign @nobody-has-this-name',
    '/unassign',
    '/milestone %unknown',
    '/remove_milestone',
    '/due soon',
    '/remove_due_date',
    '/done',
    '/subscribe',
    '/award :nothing:',
    '/estimate much',
    '/spend -1h',
    '/title',
    '/draft',
    '/ready',
    '/wip',
    '/merge',
    '/approve',
  ])(
    'refuses a note of %s alone that has no effect, and ignores it in another text',
    async (line) => {
      const issue = await make();
      expect((await comment(issue, line).expect(400)).body).toEqual(FAILED);
      const { body } = await comment(issue, `With words\n${line}`).expect(201);
      expect(body).toMatchObject({ body: 'With words' });
      expect(await noted(issue)).toEqual([]);
      expect(await read(issue)).toMatchObject({ title: 'One', labels: [], state: 'opened' });
    },
  );

  it('has the rights of its author: a guest only on their own issue, and never labels', async () => {
    const issue = await make();
    for (const person of [guest, stranger]) {
      for (const line of [
        '/close',
        '/title Mine',
        '/label ~bug',
        '/estimate 1h',
        '/confidential',
      ]) {
        expect((await comment(issue, line, person).expect(400)).body).toEqual(FAILED);
      }
      await comment(issue, '/todo', person).expect(202);
    }
    expect(await read(issue)).toMatchObject({ title: 'One', labels: [], state: 'opened' });
    expect(await noted(issue)).toEqual([]);
    const own = await make(guest, { description: '/label ~bug\n/close' });
    expect(await read(own)).toMatchObject({ description: '', labels: [], state: 'closed' });
    await comment(issue, '/label ~bug\n/close', reporter).expect(202);
    expect(await read(issue)).toMatchObject({ labels: ['bug'], state: 'closed' });
  });

  it('carries out those of a description when an issue is created', async () => {
    const issue = await make(owner, {
      labels: 'done',
      description: `It fails.\n/label ~bug\n/assign me\n/confidential\n/title Other\n/estimate 1h\n/close`,
    });
    const shown = {
      title: 'Other',
      description: 'It fails.',
      labels: ['bug', 'done'],
      assignees: [{ id: owner.user.id }],
      confidential: true,
      state: 'closed',
      time_stats: { time_estimate: 3_600 },
    };
    expect(issue).toMatchObject(shown);
    expect(await read(issue)).toMatchObject(shown);
    expect(await noted(issue)).toEqual(['closed', 'changed time estimate to 1h']);
    const old = { title: 'Old', description: 'Text\n/label ~bug' };
    const made = await trellis.as(owner).post(issuesOf(project), old).expect(200);
    expect(made.body).toMatchObject({ description: 'Text', labels: ['bug'] });
  });

  it('never shows a confidential issue to those whom its description mentions', async () => {
    const description = `@${stranger.user.username}\n/confidential`;
    const issue = await make(owner, { description });
    const sql = 'SELECT user_id FROM todos WHERE target_type = $1 AND target_id = $2';
    expect(await trellis.rows(sql, ['Issue', issue.id])).toEqual([]);
  });

  it('carries out those of a changed description, and none of an unchanged one', async () => {
    const issue = await make(owner, { labels: 'done' });
    const change = { description: 'New\n/label ~bug\n/close', add_labels: 'to do' };
    const { body } = await v4(owner).put(at(issue), change).expect(200);
    expect(body).toMatchObject({
      description: 'New',
      labels: ['bug', 'done', 'to do'],
      state: 'closed',
    });
    await trellis.rows(`UPDATE issues SET description = E'Old\\n/reopen' WHERE id = $1`, [
      issue.id,
    ]);
    const same = { description: 'Old\n/reopen', title: 'Two' };
    const kept = await v4(owner).put(at(issue), same).expect(200);
    expect(kept.body).toMatchObject({ ...same, state: 'closed' });
    const path = `${issuesOf(project)}/${String(issue.id)}`;
    await trellis.as(owner).put(path, { description: 'Old' }).expect(200);
    const old = await trellis.as(owner).put(path, { description: '/reopen' }).expect(200);
    expect(old.body).toMatchObject({ description: '', state: 'opened' });
  });

  it('carries out no lines that another author has left, when the text is changed', async () => {
    const left = [...Array<string>(50).fill('/todo'), '/close', '/label ~bug'].join('\n');
    const stranger = await trellis.factories.user();
    const fields = { title: 'Help', description: `Please\n${left}` };
    const made = await v4(stranger).post(issuesOf(project), fields).expect(201);
    const issue = made.body as Issue;
    expect(issue.description).toBe('Please\n/close\n/label ~bug');
    const description = `${issue.description} \n/label ~"to do"\n\nEdited`;
    const { body } = await v4(owner).put(at(issue), { description }).expect(200);
    expect(body).toMatchObject({
      description: 'Please\n/close\n/label ~bug \n\nEdited',
      state: 'opened',
      labels: ['to do'],
    });
    const note = await v4(stranger)
      .post(at(issue, '/notes'), { body: `Hello\n${left}` })
      .expect(201);
    const { id, body: text } = note.body as { id: number; body: string };
    const changed = await v4(owner)
      .put(at(issue, `/notes/${String(id)}`), { body: `${text}!\n\nEdited` })
      .expect(200);
    expect((await read(issue)).state).toBe('opened');
    expect((changed.body as { body: string }).body).toContain('/close');
  });

  it('carries out those of a changed note, whose text stays if nothing else is left', async () => {
    const issue = await make();
    const { id } = (await comment(issue, 'First').expect(201)).body as { id: number };
    const note = at(issue, `/notes/${String(id)}`);
    const changed = await v4(owner).put(note, { body: 'Second\n/close' }).expect(200);
    expect(changed.body).toMatchObject({ id, body: 'Second' });
    expect((await read(issue)).state).toBe('closed');
    const kept = await v4(owner).put(note, { body: '/reopen' }).expect(200);
    expect(kept.body).toMatchObject({ id, body: 'Second' });
    expect((await read(issue)).state).toBe('opened');
    expect((await v4(owner).put(note, { body: '/reopen' }).expect(400)).body).toEqual(FAILED);
    expect(await written(issue)).toEqual(['Second']);
  });

  it('carries out those of discussions and replies', async () => {
    const issue = await make();
    const threads = at(issue, '/discussions');
    const begun = await v4(owner).post(threads, { body: 'Why?\n/label ~bug' }).expect(201);
    const { id, notes } = begun.body as { id: string; notes: { body: string }[] };
    expect(notes.map(({ body }) => body)).toEqual(['Why?']);
    const replies = `${threads}/${id}/notes`;
    const reply = await v4(owner).post(replies, { body: 'So.\n/close' }).expect(201);
    expect(reply.body).toMatchObject({ body: 'So.' });
    await v4(owner).post(replies, { body: '/reopen' }).expect(202);
    await v4(owner).post(threads, { body: '/close' }).expect(202);
    await v4(owner).post(threads, { body: '/close' }).expect(400, FAILED);
    expect(await read(issue)).toMatchObject({ labels: ['bug'], state: 'closed' });
    expect(await written(issue)).toEqual(['Why?', 'So.']);
  });

  it('closes an issue once when two ask for it at the same time', async () => {
    const issue = await make();
    const requests = [comment(issue, '/close'), comment(issue, '/close', reporter)];
    const answers = await meetBeforeWriting(trellis, 'notes', requests);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 400]);
    expect(await noted(issue)).toEqual(['closed']);
  });

  it('writes a note and carries out its actions in one transaction', async () => {
    const issue = await make();
    const { answer } = await whileLocked(trellis, 'label_links', async () => {
      const sent = comment(issue, 'Both\n/label ~bug').then(({ status }) => status);
      await until(async () => (await waitingFor(trellis, 'label_links')).length > 0);
      expect(await notesOn(issue)).toEqual([]);
      return { answer: sent };
    });
    expect(await answer).toBe(201);
    expect(await written(issue)).toEqual(['Both']);
    expect(await read(issue)).toMatchObject({ labels: ['bug'] });
  });

  it('shows texts without their lines to hooks and feeds', async () => {
    const flags = { issues_events: true, note_events: true, confidential_issues_events: true };
    const hook = await QueueingHook.ofProject(trellis, owner, project, flags);
    const issue = await make(owner, { description: 'Shown\n/label ~bug' });
    await comment(issue, 'Noted\n/close').expect(201);
    const events = await hook.queuedEvents();
    const text = JSON.stringify(events);
    expect(text).toContain('Shown');
    expect(text).toContain('Noted');
    expect(text).not.toContain('/label');
    expect(text).not.toContain('/close');
    expect(events.map(({ kind }) => kind)).toEqual(['issue', 'note', 'issue']);
  });

  it('leaves all lines in place where the instance has them switched off', async () => {
    await trellis.with({ QUICK_ACTIONS: 'false' }, async () => {
      const issue = await make(owner, { description: '/close' });
      expect(issue).toMatchObject({ description: '/close', state: 'opened' });
      const { body } = await comment(issue, '/close').expect(201);
      expect(body).toMatchObject({ body: '/close' });
      expect((await read(issue)).state).toBe('opened');
    });
  });

  it('keeps an emoji alone as a note in version 4', async () => {
    const issue = await make();
    const { body } = await comment(issue, ':+1:').expect(201);
    expect(body).toMatchObject({ body: ':+1:' });
  });
});
