import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { remoteOf } from '../../support/checkout.js';
import { ownHistory } from '../../support/own-history.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

interface CommitBody {
  id: string;
  title: string;
  author_name: string;
  author_email: string;
  authored_date: string;
  message: string;
  parent_ids: string[];
}

describe("this project's own history", () => {
  let trellis: Trellis;
  let folder: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-history-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('survives a push and a clone, and is read through the API as git shows it', async () => {
    const owner = await trellis.factories.user();
    const project = await trellis.factories.project(owner);
    const source = await ownHistory(folder);
    const remote = remoteOf(trellis, project, owner);
    await git(['push', '--quiet', remote, 'refs/heads/*:refs/heads/*'], { cwd: source });
    await git(['clone', '--quiet', '--mirror', remote, 'back.git'], { cwd: folder });
    const back = path.join(folder, 'back.git');
    const all = ['rev-list', '--all', '--topo-order'];
    expect(await git(all, { cwd: back })).toBe(await git(all, { cwd: source }));
    await git(['fsck', '--strict'], { cwd: back });

    const asOwner = trellis.as(owner);
    const base = `/projects/${String(project.id)}`;
    const { body } = await asOwner.get(base).expect(200);
    const { default_branch: branch } = body as { default_branch: string };
    const expected = (await git(['rev-list', '--topo-order', branch], { cwd: source })).split('\n');
    const listed: string[] = [];
    for (let page = 1; page <= Math.ceil(expected.length / 100); page += 1) {
      const query = `per_page=100&page=${String(page)}`;
      const answer = await asOwner.get(`${base}/repository/commits?${query}`).expect(200);
      listed.push(...(answer.body as CommitBody[]).map(({ id }) => id));
    }
    expect(listed).toEqual(expected);

    for (const id of expected.slice(0, 20)) {
      const answer = await asOwner.get(`${base}/repository/commits/${id}`).expect(200);
      const format = ['%H', '%P', '%an', '%ae', '%s'].join('%n');
      const told = await git(['show', '--no-patch', `--format=${format}`, id], { cwd: source });
      const commit = answer.body as CommitBody;
      const { author_name: name, author_email: email, title } = commit;
      expect([commit.id, commit.parent_ids.join(' '), name, email, title].join('\n')).toBe(told);
    }
  });
});
