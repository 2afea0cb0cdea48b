import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Checkout } from '../../support/checkout.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { newKey } from '../../support/public-keys.js';
import type { Trellis } from '../../support/trellis.js';

/** Times of committers as git stores them, with what hooks make of them. */
export const ODD_TIMES: readonly (readonly [stored: string, sent: string])[] = [
  ['1480000000 -0000', '2016-11-24T15:06:40+00:00'],
  ['1480000000 +0545', '2016-11-24T20:51:40+05:45'],
  ['1480000000 -0330', '2016-11-24T11:36:40-03:30'],
  ['1480000000 +1400', '2016-11-25T05:06:40+14:00'],
  ['1480000000 +9999', '2016-11-24T15:06:40+00:00'],
  ['1480000000 +2359', '2016-11-24T15:06:40+00:00'],
  ['1480000000 -0090', '2016-11-24T15:06:40+00:00'],
  ['0 -0500', '1969-12-31T19:00:00-05:00'],
  ['253402300800 +0000', '9999-12-31T00:00:00+00:00'],
];

interface Made {
  id: number;
}

/** Does everything that hooks are notified of, as users do it. */
export class Occasions {
  constructor(
    private readonly trellis: Trellis,
    private readonly admin: Person,
    readonly owner: Person,
    readonly project: MadeProject,
    private readonly work: Checkout,
  ) {}

  async all(): Promise<void> {
    await this.pushes();
    await this.tags();
    await this.issues();
    await this.mergeRequests();
    await this.commitNotes();
    await this.statuses();
    await this.projects();
    await this.groups();
    await this.accounts();
  }

  /** What only version 4 is notified of. */
  async ofVersion4(): Promise<void> {
    const { path: where } = await this.proposed({});
    const path = `${this.at}/merge_requests/1`;
    const v4 = this.trellis.as(this.owner).v4;
    const approver = this.trellis.as(this.admin).v4;
    await approver.post(`${path}/approve`).expect(201);
    await approver.post(`${path}/unapprove`).expect(201);
    const note = (await this.post(`${where}/notes`, { body: 'First' })).id;
    await v4.put(`${path}/notes/${String(note)}`, { body: 'Second' }).expect(200);
    await v4.post(`${path}/award_emoji`, { name: 'tada' }).expect(201);
    const links = [{ name: 'Binary', url: 'https://a.example.com/x' }];
    const release = { tag_name: 'r1', ref: 'master', description: 'One', assets: { links } };
    await v4.post(`${this.at}/releases`, release).expect(201);
  }

  private get at(): string {
    return `/projects/${String(this.project.id)}`;
  }

  private async post(where: string, body: object, by = this.owner): Promise<Made> {
    const answer = await this.trellis.as(by).post(where, body);
    if (answer.status >= 300) throw new Error(`POST ${where}: ${answer.text}`);
    return answer.body as Made;
  }

  private async put(where: string, body: object, by = this.owner): Promise<void> {
    await this.trellis.as(by).put(where, body).expect(200);
  }

  private async push(...refspecs: string[]): Promise<void> {
    const { code, stderr } = await this.work.push(...refspecs);
    if (code !== 0) throw new Error(stderr);
  }

  private async pushes(): Promise<void> {
    await this.work.commit('Add a file', 'added.txt');
    await this.work.git('mv', 'added.txt', 'moved.txt');
    await this.work.git('rm', '--quiet', 'file.txt');
    await this.work.commit('Move a file\n\nand remove another', 'other.txt');
    await this.push('HEAD:refs/heads/master', 'HEAD:refs/heads/same');
    await this.push('--delete', 'refs/heads/same');
    await this.push(`${await this.oddCommits()}:refs/heads/odd-times`);
  }

  /** Commits on top of `HEAD`, one for each of the odd times; answers the last. */
  private async oddCommits(): Promise<string> {
    const tree = await this.work.git('rev-parse', 'HEAD^{tree}');
    let parent = await this.work.git('rev-parse', 'HEAD');
    const object = path.join(this.work.folder, '.git', 'odd-commit');
    for (const [time] of ODD_TIMES) {
      const person = `A U Thor <author@example.com> ${time}`;
      const text = `tree ${tree}\nparent ${parent}\nauthor ${person}\ncommitter ${person}\n\n${time}\n`;
      await writeFile(object, text);
      parent = await this.work.git('hash-object', '-t', 'commit', '-w', '--literally', object);
    }
    return parent;
  }

  private async tags(): Promise<void> {
    await this.work.git('tag', '--annotate', '--message', 'Version one', 'v1', 'HEAD');
    await this.push('v1', 'HEAD:refs/tags/light');
    await this.push('--delete', 'refs/tags/v1');
  }

  private async issues(): Promise<void> {
    const milestone = await this.post(`${this.at}/milestones`, { title: 'First' });
    await this.post(`${this.at}/labels`, { name: 'bug', color: '#ff0000' });
    const { id } = await this.post(`${this.at}/issues`, {
      title: 'Broken',
      description: 'Does not work',
      labels: 'bug',
      assignee_id: this.owner.user.id,
      milestone_id: milestone.id,
      due_date: '2030-01-31',
    });
    const issue = `${this.at}/issues/${String(id)}`;
    await this.post(`${this.at}/issues`, { title: 'Without anything' });
    await this.put(issue, { title: 'Broken indeed' });
    await this.put(issue, { state_event: 'close' });
    await this.put(issue, { state_event: 'reopen' });
    await this.post(`${issue}/notes`, { body: 'Seen' });
  }

  private async mergeRequests(): Promise<void> {
    const first = await this.proposed({ assignee_id: this.owner.user.id, labels: 'bug' });
    await this.put(first.path, { title: 'WIP: Another title', description: 'Why' });
    await this.put(first.path, { state_event: 'close' });
    await this.put(first.path, { state_event: 'reopen', title: 'A title' });
    await this.work.commit('More of it', 'more.txt');
    await this.push(`HEAD:refs/heads/${first.branch}`);
    await this.post(`${first.path}/notes`, { body: 'Good' });
    await this.put(`${first.path}/merge`, { should_remove_source_branch: true });
    const second = await this.proposed({ remove_source_branch: false });
    await this.put(second.path, { remove_source_branch: true });
    await this.put(`${second.path}/merge`, { should_remove_source_branch: false });
    const third = await this.proposed({ remove_source_branch: true });
    await this.put(`${third.path}/merge`, {});
  }

  private async proposed(fields: object): Promise<{ branch: string; path: string }> {
    const branch = `topic-${unique()}`;
    await this.work.commit(branch, `${branch}.txt`);
    await this.push(`HEAD:refs/heads/${branch}`);
    const input = { title: branch, source_branch: branch, target_branch: 'master', ...fields };
    const { id } = await this.post(`${this.at}/merge_requests`, input);
    return { branch, path: `${this.at}/merge_requests/${String(id)}` };
  }

  private async commitNotes(): Promise<void> {
    const head = await this.work.git('rev-parse', 'HEAD');
    const [file = ''] = (await this.work.git('show', '--name-only', '--format=', head)).split('\n');
    const comments = `${this.at}/repository/commits/${head}/comments`;
    await this.post(comments, { note: 'All of it' });
    await this.post(comments, { note: 'This line', path: file, line: 1, line_type: 'new' });
  }

  private async statuses(): Promise<void> {
    const head = await this.work.git('rev-parse', 'HEAD');
    const where = `${this.at}/statuses/${head}`;
    for (const state of ['pending', 'running']) await this.post(where, { state, ref: 'master' });
    // Durations are to have a fraction that may not be sent.
    await this.trellis.rows(
      `UPDATE commit_statuses SET started_at = started_at - interval '2.345 s' WHERE sha = $1`,
      [head],
    );
    await this.post(where, { state: 'success', ref: 'master' });
  }

  private async projects(): Promise<void> {
    const name = `system-${unique()}`;
    const { id } = await this.post('/projects', { name });
    const at = `/projects/${String(id)}`;
    const member = await this.trellis.factories.user();
    await this.post(`${at}/members`, { user_id: member.user.id, access_level: 30 });
    await this.trellis
      .as(this.owner)
      .delete(`${at}/members/${String(member.user.id)}`)
      .expect(200);
    await this.put(at, { path: `${name}-renamed` });
    const group = await this.trellis.factories.group(this.admin);
    await this.post(`/groups/${String(group.id)}/projects/${String(id)}`, {}, this.admin);
    await this.trellis.as(this.admin).delete(at).expect(200);
  }

  private async groups(): Promise<void> {
    const path = `group-${unique()}`;
    const { id } = await this.post('/groups', { name: path, path });
    const member = await this.trellis.factories.user();
    const members = `/groups/${String(id)}/members`;
    await this.post(members, { user_id: member.user.id, access_level: 20 });
    await this.trellis
      .as(this.owner)
      .delete(`${members}/${String(member.user.id)}`)
      .expect(200);
    await this.trellis
      .as(this.owner)
      .delete(`/groups/${String(id)}`)
      .expect(200);
  }

  private async accounts(): Promise<void> {
    const person = await this.trellis.factories.user();
    const { id } = await this.post('/user/keys', { title: 'Mine', key: newKey() }, person);
    await this.trellis
      .as(person)
      .delete(`/user/keys/${String(id)}`)
      .expect(200);
    await this.trellis
      .as(this.admin)
      .delete(`/users/${String(person.user.id)}`)
      .expect(200);
  }
}
