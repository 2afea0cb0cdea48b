import { CommitReferencesService } from '../../../src/modules/issues/closing/commit-references.service.js';
import { IssuesService } from '../../../src/modules/issues/index.js';
import { type Checkout, numberedMessages } from '../../support/checkout.js';
import { runJobsOf } from '../../support/due-jobs.js';
import type { MadeProject, Person } from '../../support/factories.js';
import {
  type IssueBody,
  issueEvents,
  openIssue,
  pathOf,
  systemNotes,
} from '../../support/issues.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(180_000);

/** Has workers get jobs at once, without the delay in which pushes do them, and notes which they got. */
const AT_ONCE = `
  CREATE TABLE handed_over (name text);
  CREATE FUNCTION hand_over_at_once() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.run_at = now(); RETURN NEW; END $$;
  CREATE TRIGGER hand_over_at_once BEFORE INSERT ON outbox FOR EACH ROW WHEN (NEW.queue = 'issues')
    EXECUTE FUNCTION hand_over_at_once();
  CREATE RULE note_hand_over AS ON UPDATE TO outbox WHERE NEW.enqueued_at IS NOT NULL
    DO ALSO INSERT INTO handed_over VALUES (NEW.name)`;
const AS_BEFORE = `
  DROP RULE note_hand_over ON outbox;
  DROP TRIGGER hand_over_at_once ON outbox;
  DROP FUNCTION hand_over_at_once;
  DROP TABLE handed_over`;

describe('pushed commits', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;
  let project: MadeProject;
  let work: Checkout;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
    ({ project, work } = await pushed.make());
  });
  afterAll(async () => {
    await pushed.remove();
    await trellis.restore();
  });

  const open = (body: object = {}, by = owner, where = project) =>
    openIssue(trellis, by, where, body);
  const numberOf = ({ iid }: IssueBody): string => `#${String(iid)}`;
  const stateOf = async (issue: IssueBody): Promise<string> => {
    const { body } = await trellis.as(owner).get(pathOf(issue)).expect(200);
    return (body as IssueBody).state;
  };
  /** Resolves when everything that follows from pushes is done. */
  const settled = () => runJobsOf(trellis, 'issues');
  const push = async (message: string, to = 'master', from = work): Promise<string> => {
    const sha = await from.commit(message);
    const { code, stderr } = await from.push(`HEAD:refs/heads/${to}`);
    if (code !== 0) throw new Error(stderr);
    await settled();
    return sha;
  };

  it('close the issues that their messages close', async () => {
    const [one, two, quoted] = [await open(), await open(), await open()];
    const sha = await push(
      `Work\n\nFixes ${numberOf(one)} and ${numberOf(two)}, not \`closes ${numberOf(quoted)}\``,
    );
    for (const issue of [one, two]) {
      expect(await stateOf(issue)).toBe('closed');
      expect(await systemNotes(trellis, issue)).toEqual([`closed via commit ${sha}`]);
    }
    expect(await stateOf(quoted)).toBe('opened');
    const events = await issueEvents(trellis, project);
    expect(events).toContainEqual({
      author_id: owner.user.id,
      action: 'closed',
      target_id: one.id,
    });
  });

  it('have closed the issues before the push is answered, without a worker', async () => {
    const alone = await Trellis.shared();
    await alone.rows('DELETE FROM outbox');
    const person = await alone.factories.user();
    const projects = new PushedProjects(alone, person);
    try {
      const made = await projects.make();
      const issue = await openIssue(alone, person, made.project);
      const sha = await made.work.commit(`Fixes #${String(issue.iid)}`);
      await made.work.push('HEAD:refs/heads/master');
      const { body } = await alone.as(person).get(pathOf(issue)).expect(200);
      expect(body).toMatchObject({ state: 'closed' });
      expect(await systemNotes(alone, issue)).toEqual([`closed via commit ${sha}`]);
      expect(await alone.rows(`SELECT name FROM outbox WHERE queue = 'issues'`)).toEqual([]);
      await alone.as(person).put(pathOf(issue), { state_event: 'reopen' }).expect(200);
      await made.work.commit('Nothing to close');
      await made.work.push('HEAD:refs/heads/master');
      const waiting = await alone.rows(`SELECT name FROM outbox WHERE queue = 'issues'`);
      expect(waiting).toEqual([{ name: 'read-commits' }]);
    } finally {
      await projects.remove();
    }
  });

  it('have closed the issues before the push is answered, also if workers have the jobs', async () => {
    const { project: other, work: theirs } = await pushed.make();
    const issue = await open({}, owner, other);
    await trellis.rows(AT_ONCE);
    // The push goes on when a worker has the job.
    const commits = trellis.app.get(CommitReferencesService);
    const mayClose = commits.mayClose.bind(commits);
    const asked = jest.spyOn(commits, 'mayClose').mockImplementation(async (where, branch) => {
      const taken = `SELECT FROM handed_over WHERE name = 'read-commits'`;
      await until(async () => (await trellis.rows(taken)).length > 0);
      return mayClose(where, branch);
    });
    try {
      const sha = await theirs.commit(`Fixes ${numberOf(issue)}`);
      expect((await theirs.push('HEAD:refs/heads/master')).code).toBe(0);
      expect(asked).toHaveBeenCalledTimes(1);
      expect(await stateOf(issue)).toBe('closed');
      expect(await systemNotes(trellis, issue)).toEqual([`closed via commit ${sha}`]);
    } finally {
      asked.mockRestore();
      await trellis.rows(AS_BEFORE);
    }
  });

  it('close an issue only once, even when several name it', async () => {
    const issue = await open();
    const issues = trellis.app.get(IssuesService);
    const close = (via: string) =>
      issues.close({ projectId: project.id, issueId: issue.id, actorId: owner.user.id, via });
    const results = await Promise.all(['commit a', 'commit b', 'commit c'].map(close));
    expect(results.sort()).toEqual([false, false, true]);
    expect(await systemNotes(trellis, issue)).toHaveLength(1);
    const events = await issueEvents(trellis, project);
    const closings = events.filter(({ target_id: id }) => id === issue.id);
    expect(closings.map(({ action }) => action)).toEqual(['opened', 'closed']);
  });

  it.each([
    ['crew/tour@', 'commit crew/tour@1f2e', 'closed via commit 1f2e'],
    ['crew/tour', 'merge request crew/tour!5', 'closed via merge request \\!5'],
  ])('that a job of 0.2.0 closes name no hidden project (%s)', async (prefix, via, note) => {
    const issue = await open();
    const closing = { projectId: project.id, issueId: issue.id, actorId: owner.user.id, via };
    await trellis.app.get(IssuesService).handle({ ...closing, from: { prefix } });
    expect(await systemNotes(trellis, issue)).toEqual([note]);
  });

  it('made by the API close them as well', async () => {
    const { project: other } = await pushed.make();
    const issue = await open({}, owner, other);
    await trellis
      .as(owner)
      .post(`/projects/${String(other.id)}/repository/commits`, {
        branch_name: 'master',
        commit_message: `Closes ${numberOf(issue)}`,
        actions: [{ action: 'create', file_path: 'x', content: 'x' }],
      })
      .expect(200);
    await settled();
    expect(await stateOf(issue)).toBe('closed');
  });

  it('add one note to each issue that they mention', async () => {
    const issue = await open();
    const sha = await push(`About ${numberOf(issue)} and ${numberOf(issue)}`);
    const other = await push(`On a branch: closes ${numberOf(issue)}`, 'topic');
    expect(await stateOf(issue)).toBe('opened');
    expect(await systemNotes(trellis, issue)).toEqual([
      `mentioned in commit ${sha}`,
      `mentioned in commit ${other}`,
    ]);
    await work.push('HEAD:refs/heads/master');
    await settled();
    expect(await stateOf(issue)).toBe('closed');
    expect(await systemNotes(trellis, issue)).toEqual([
      `mentioned in commit ${sha}`,
      `mentioned in commit ${other}`,
      `closed via commit ${other}`,
    ]);
  });

  it('act in the name of the pusher, independent of their address', async () => {
    const victim = await memberOf(trellis, project, 40);
    await trellis.as(victim).post('/user/emails', { email: 'At.Work@example.com' }).expect(201);
    const [closed, mentioned] = [
      await open({ assignee_id: victim.user.id }),
      await open({ assignee_id: victim.user.id }),
    ];
    const pusher = await memberOf(trellis, project, 40);
    const clone = await rebased(await pushed.checkout(project, pusher));
    await clone.commit(`Closes ${numberOf(closed)}, see ${numberOf(mentioned)}`);
    const forged = ['--author', 'Victim <at.work@Example.com>'];
    await clone.git('commit', '--amend', '--no-edit', ...forged);
    await push('More', 'master', clone);
    expect(await stateOf(closed)).toBe('closed');
    for (const issue of [closed, mentioned]) {
      const notes = await trellis.rows(
        `SELECT DISTINCT author_id FROM notes WHERE noteable_id = $1 AND system
            AND (body LIKE 'closed via%' OR body LIKE 'mentioned in%')`,
        [issue.id],
      );
      expect(notes).toEqual([{ author_id: pusher.user.id }]);
    }
    expect(await issueEvents(trellis, project)).toContainEqual({
      author_id: pusher.user.id,
      action: 'closed',
      target_id: closed.id,
    });
    const { body: todos } = await trellis.as(victim).get('/todos?state=pending').expect(200);
    expect((todos as { target: { id: number } }[]).map(({ target }) => target.id)).toEqual(
      expect.arrayContaining([closed.id, mentioned.id]),
    );
  });

  it('close only issues that the pusher may edit', async () => {
    const master = await memberOf(trellis, project, 40);
    const clone = await pushed.checkout(project, master);
    const foreign = await trellis.factories.project(await trellis.factories.user(), {
      visibilityLevel: 20,
    });
    const theirs = await open({}, master, foreign);
    const others = await open({}, owner, foreign);
    const hidden = await trellis.factories.project(master);
    const own = await open({}, master, hidden);
    const path = foreign.fullPath;
    const sha = await push(
      `Closes ${path}${numberOf(theirs)}, ${path}${numberOf(others)} and ${hidden.fullPath}${numberOf(own)}`,
      'master',
      await rebased(clone),
    );
    expect(await stateOf(theirs)).toBe('closed');
    // A note in a public project does not name a private one.
    expect(await systemNotes(trellis, theirs)).toEqual([`closed via commit ${sha}`]);
    expect(await systemNotes(trellis, own)).toEqual([
      `closed via commit ${project.fullPath}@${sha}`,
    ]);
    expect(await stateOf(others)).toBe('opened');
    expect(await systemNotes(trellis, others)).toEqual([
      `mentioned in commit ${project.fullPath}@${sha}`,
    ]);
  });

  it('close nothing in the first push of the default branch', async () => {
    const fresh = await trellis.factories.project(owner);
    const issue = await open({}, owner, fresh);
    const clone = await pushed.checkout(fresh, owner);
    await push(`Closes ${numberOf(issue)}`, 'master', clone);
    expect(await stateOf(issue)).toBe('opened');
    expect(await systemNotes(trellis, issue)).toEqual([]);
    await push(`Closes ${numberOf(issue)}`, 'master', clone);
    expect(await stateOf(issue)).toBe('closed');
  });

  it('of a fork close nothing in the origin of the fork', async () => {
    const { project: source } = await pushed.make({ visibilityLevel: 20 });
    const fork = await trellis.factories.project(owner);
    await trellis
      .as(await trellis.factories.admin())
      .post(`/projects/${String(fork.id)}/fork/${String(source.id)}`)
      .expect(200);
    const [upstream, own] = [await open({}, owner, source), await open({}, owner, fork)];
    const clone = await pushed.checkout(fork, owner);
    await push('First', 'master', clone);
    const text = `Closes ${source.path}${numberOf(upstream)} and ${numberOf(own)}`;
    const sha = await push(text, 'master', clone);
    expect([await stateOf(upstream), await stateOf(own)]).toEqual(['opened', 'closed']);
    expect(await systemNotes(trellis, upstream)).toEqual([
      `mentioned in commit ${fork.path}@${sha}`,
    ]);
  });

  it('are processed up to the newest hundred', async () => {
    const [oldest, second] = [await open(), await open()];
    await rebased(work);
    const closings = [oldest, second].map((issue) => `Closes ${numberOf(issue)}`);
    await work.commitAll([...closings, ...numberedMessages(98)]);
    await push('The hundred and first');
    expect([await stateOf(oldest), await stateOf(second)]).toEqual(['opened', 'closed']);
  });

  /** A checkout brought to where the default branch is. */
  async function rebased(clone: Checkout): Promise<Checkout> {
    await clone.git('fetch', clone.remote, 'master');
    await clone.git('reset', '--hard', 'FETCH_HEAD');
    return clone;
  }
});
