import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '../../support/client.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface CommitBody {
  id: string;
  parent_ids: string[];
  stats?: object;
  last_pipeline: object | null;
}

const GIT_DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}\+00:00$/) as string;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string;

describe('version 4 of repositories', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let base: string;
  let page: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    made = await projects.make();
    const { project } = made;
    base = `/projects/${String(project.id)}`;
    page = `${trellis.url}/${project.fullPath}/-`;
  });
  afterAll(() => projects.remove());

  const v4 = (): Client => trellis.as(owner).v4;
  const v3 = (): Client => trellis.as(owner);
  const repo = (path: string) => `${base}/repository/${path}`;
  const message = (text: string) => ({ message: text });

  const commitView = (sha: string, title: string, parents: string[], more: object = {}) => ({
    id: sha,
    short_id: sha.slice(0, 8),
    created_at: GIT_DATE,
    parent_ids: parents,
    title,
    message: title,
    author_name: owner.user.name,
    author_email: owner.user.email,
    authored_date: GIT_DATE,
    committer_name: owner.user.name,
    committer_email: owner.user.email,
    committed_date: GIT_DATE,
    trailers: {},
    extended_trailers: {},
    web_url: `${page}/commit/${sha}`,
    ...more,
  });

  const userView = ({ user }: Person) => ({
    ...{ id: user.id, username: user.username, name: user.name, state: 'active', locked: false },
    avatar_url: expect.stringMatching(/^https:/) as string,
    web_url: `${trellis.url}/${user.username}`,
  });

  /** Commits to a branch of its own. */
  async function commitOn(branch: string, actions: object[], more: object = {}) {
    const body = {
      branch,
      start_branch: 'master',
      commit_message: `On ${branch}`,
      actions,
      ...more,
    };
    const answer = await v4().post(repo('commits'), body).expect(201);
    return answer.body as CommitBody;
  }

  describe('commits', () => {
    it('are made on a new branch by all actions, and read through both versions', async () => {
      const files = [
        { action: 'create', file_path: 'bin/run', content: 'ZWNobwo=', encoding: 'base64' },
        { action: 'chmod', file_path: 'bin/run', execute_filemode: true },
        { action: 'move', file_path: 'moved.txt', previous_path: 'file.txt' },
      ];
      const body = await commitOn('actions', files);
      const detail = commitView(body.id, 'On actions', [made.head], {
        stats: { additions: 1, deletions: 0, total: 1 },
        ...{ status: null, project_id: made.project.id, last_pipeline: null },
      });
      expect(body).toEqual(detail);
      expect((await v4().get(repo('commits/actions')).expect(200)).body).toEqual(detail);
      const plain = await v4()
        .get(repo(`commits/${body.id}?stats=false`))
        .expect(200);
      expect(plain.body).not.toHaveProperty('stats');
      const old = await v3()
        .get(repo(`commits/${body.id}`))
        .expect(200);
      expect(detail).toMatchObject({ ...(old.body as object) });
      const tree = await v4().get(repo('tree?ref=actions&path=bin')).expect(200);
      expect(tree.body).toMatchObject([{ path: 'bin/run', mode: '100755' }]);
    });

    it('are listed from page 1, none for an unknown ref', async () => {
      const { id } = await commitOn('listed', [{ action: 'create', file_path: 'l', content: 'x' }]);
      const list = await v4().get(repo('commits?ref_name=listed&per_page=1')).expect(200);
      expect(list.body).toEqual([commitView(id, 'On listed', [made.head])]);
      expect(list.headers['link']).toContain('page=2');
      const next = await v4().get(repo('commits?ref_name=listed&per_page=1&page=2')).expect(200);
      expect(next.body).toMatchObject([{ id: made.head }]);
      const byPath = await v4().get(repo('commits?ref_name=listed&path=l')).expect(200);
      expect(byPath.body).toHaveLength(1);
      expect((await v4().get(repo('commits?ref_name=absent')).expect(200)).body).toEqual([]);
      const wrong = await v4().get(repo('commits?since=yesterday')).expect(400);
      expect(wrong.body).toEqual({ error: 'since is invalid' });
    });

    it.each([
      [
        { action: 'create', file_path: 'file.txt', content: '' },
        'A file with this name already exists',
      ],
      [
        { action: 'update', file_path: 'absent', content: '' },
        "A file with this name doesn't exist",
      ],
      [
        { action: 'chmod', file_path: 'absent', execute_filemode: true },
        "A file with this name doesn't exist",
      ],
    ])('refuses %j', async (action, text) => {
      const body = { branch: 'master', commit_message: 'x', actions: [action] };
      const refused = await v4().post(repo('commits'), body).expect(400);
      expect(refused.body).toEqual(message(text));
    });

    it('are listed with counted lines, trailers, and by author', async () => {
      const trailers = 'Reviewed-by: Ada\nChangelog: added\nReviewed-by: Bob';
      const { id } = await commitOn(
        'told',
        [{ action: 'create', file_path: 'told', content: 'one\ntwo\n' }],
        { commit_message: `Add told\n\nText\n\n${trailers}\n`, author_name: 'Zoe [z]' },
      );
      const list = async (query: string) => {
        const answer = await v4()
          .get(repo(`commits?ref_name=told&${query}`))
          .expect(200);
        return answer.body as (CommitBody & { trailers: object })[];
      };
      const [told, first] = await list('with_stats=true&trailers=true');
      expect(told).toMatchObject({
        id,
        stats: { additions: 2, deletions: 0, total: 2 },
        trailers: { 'Reviewed-by': 'Bob', Changelog: 'added' },
        extended_trailers: { 'Reviewed-by': ['Ada', 'Bob'], Changelog: ['added'] },
      });
      expect(first).toMatchObject({ stats: expect.any(Object) as object, trailers: {} });
      const [plain] = await list('per_page=1');
      expect(plain).toMatchObject({ id, trailers: {}, extended_trailers: {} });
      expect(plain).not.toHaveProperty('stats');
      expect((await list('author=oe%20%5Bz%5D')).map((commit) => commit.id)).toEqual([id]);
      expect(await list('author=Nobody')).toEqual([]);
    });

    it('are listed along first parents, of all refs, and counted', async () => {
      const { work } = made;
      await work.git('checkout', '-q', '-b', 'knot', made.head);
      await work.git('checkout', '-q', '-b', 'knot-side');
      await work.commit('Side');
      const side = await work.git('rev-parse', 'HEAD');
      await work.git('checkout', '-q', 'knot');
      await work.git('merge', '-q', '--no-ff', '-m', 'Merge side', 'knot-side');
      const merge = await work.git('rev-parse', 'HEAD');
      expect((await work.push('knot')).code).toBe(0);
      const ids = async (query: string) => {
        const answer = await v4()
          .get(repo(`commits?${query}`))
          .expect(200);
        return (answer.body as CommitBody[]).map(({ id }) => id);
      };
      for (const order of ['topo', 'default']) {
        expect(await ids(`ref_name=knot&order=${order}`)).toEqual([merge, side, made.head]);
      }
      expect(await ids('ref_name=knot&first_parent=true')).toEqual([merge, made.head]);
      expect(await ids('ref_name=master')).not.toContain(merge);
      const all = await ids('ref_name=master&all=true&per_page=100');
      expect(all).toEqual(expect.arrayContaining([merge, side, made.head]));
      const count = async (path: string) => (await v4().get(repo(path)).expect(200)).body as object;
      expect(await count('commits/knot/sequence')).toEqual({ count: 3 });
      expect(await count(`commits/${merge}/sequence?first_parent=true`)).toEqual({ count: 2 });
      expect((await v4().get(repo('commits/absent/sequence')).expect(404)).body).toEqual(
        message('404 Commit Not Found'),
      );
      for (const name of ['-x', 'a%20b']) {
        const wrong = await v4()
          .get(repo(`commits?ref_name=${name}`))
          .expect(400);
        expect(wrong.body).toEqual({ error: 'ref_name is invalid' });
      }
    });

    it('refuses a chmod without a mode, a branch that exists, and a start that does not', async () => {
      const actions = [{ action: 'create', file_path: 'n', content: 'x' }];
      const post = (more: object) =>
        v4().post(repo('commits'), { branch: 'new', commit_message: 'x', actions, ...more });
      const chmod = await post({ actions: [{ action: 'chmod', file_path: 'file.txt' }] });
      expect([chmod.status, chmod.body]).toEqual([
        400,
        { error: 'actions[0][execute_filemode] is missing' },
      ]);
      const exists = await post({ branch: 'master', start_sha: made.head }).expect(400);
      expect(exists.body).toEqual(
        message('The branch already exists. Switch to that branch in order to make changes'),
      );
      const absent = await post({ start_branch: 'absent' }).expect(400);
      expect(absent.body).toEqual(
        message('You can only create or edit files when you are on a branch'),
      );
      const member = await memberOf(trellis, made.project, 30);
      const body = { branch: 'master', commit_message: 'x', actions };
      await v3().put(repo('branches/master/protect')).expect(200);
      const denied = await trellis.as(member).v4.post(repo('commits'), body).expect(403);
      expect(denied.body).toEqual(
        message('403 Forbidden - You are not allowed to push into this branch'),
      );
      await v3().put(repo('branches/master/unprotect')).expect(200);
    });

    it('are cherry-picked and reverted by the caller', async () => {
      const file = { action: 'create', file_path: 'picked.txt', content: 'One\n' };
      const source = await commitOn('source', [file], { author_name: 'Ada Lovelace' });
      await commitOn('target', [{ ...file, file_path: 'other.txt' }]);
      const apply = (verb: string, sha: string, more: object = {}) =>
        v4().post(repo(`commits/${sha}/${verb}`), { branch: 'target', ...more });
      const head = async () =>
        ((await v4().get(repo('commits/target')).expect(200)).body as CommitBody).id;
      const before = await head();

      const check = await apply('cherry_pick', source.id, { dry_run: true }).expect(200);
      expect(check.body).toEqual({ dry_run: 'success' });
      expect(await head()).toBe(before);

      const picked = await apply('cherry_pick', source.id).expect(201);
      const { id } = picked.body as CommitBody;
      const text = `On source\n\n(cherry-picked from commit ${source.id})`;
      expect(picked.body).toEqual(commitView(id, 'On source', [before], { message: text }));
      const old = await v3()
        .get(repo(`commits/${id}`))
        .expect(200);
      expect(old.body).toMatchObject({ message: text, author_name: owner.user.name });

      const reverted = await apply('revert', id).expect(201);
      const { id: revert } = reverted.body as CommitBody;
      const title = 'Revert "On source"';
      expect(reverted.body).toEqual(
        commitView(revert, title, [id], { message: `${title}\n\nThis reverts commit ${id}` }),
      );
      await v4().get(repo('files/picked.txt?ref=target')).expect(404);
      await v4().get(repo('files/other.txt?ref=target')).expect(200);

      const own = { message: 'Again, by hand' };
      expect((await apply('cherry_pick', source.id, own).expect(201)).body).toMatchObject(own);
    });

    it('are cherry-picked and reverted with long messages, which are cut', async () => {
      // Fits into a commit, and does not with one more line.
      const { work, project } = await projects.make();
      await work.git('checkout', '-q', '-b', 'long');
      const text = path.join(work.folder, 'message');
      await writeFile(text, 'm'.repeat(1_048_300));
      await work.git('commit', '-q', '--allow-empty', '--cleanup=verbatim', '-F', text);
      await writeFile(path.join(work.folder, 'long.txt'), 'Long\n');
      await work.git('add', 'long.txt');
      await work.git('commit', '-q', '--amend', '--no-edit', '--cleanup=verbatim');
      expect((await work.push('HEAD:refs/heads/long')).code).toBe(0);
      const url = `/projects/${String(project.id)}/repository/commits`;
      const sha = await work.readHead();
      const picked = await v4().post(`${url}/${sha}/cherry_pick`, { branch: 'master' }).expect(201);
      const { message: message_, id } = picked.body as CommitBody & { message: string };
      expect(message_ === `${'m'.repeat(200_000)}…\n\n(cherry-picked from commit ${sha})`).toBe(
        true,
      );
      const reverted = await v4().post(`${url}/${id}/revert`, { branch: 'master' }).expect(201);
      expect((reverted.body as { message: string }).message).toMatch(
        new RegExp(`^Revert "m{200000}…?"\n\nThis reverts commit ${id}$`),
      );
    });

    it('revert a root commit to the empty tree', async () => {
      const root = await projects.make();
      const url = `/projects/${String(root.project.id)}/repository`;
      const shas = await root.work.git('rev-list', '--max-parents=0', 'HEAD');
      await v4().post(`${url}/branches`, { branch: 'root', ref: shas }).expect(201);
      await v4().post(`${url}/commits/${shas}/revert`, { branch: 'root' }).expect(201);
      expect((await v4().get(`${url}/tree?ref=root`).expect(200)).body).toEqual([]);
    });

    it.each(['cherry_pick', 'revert'])('refuse to %s with a code', async (verb) => {
      const kind = verb.replace('_', '-');
      const write = (content: string) => ({ action: 'update', file_path: 'file.txt', content });
      const branch = `clash-${kind}`;
      const source = await commitOn(`source-${kind}`, [write('Theirs\n')]);
      await commitOn(branch, [write('Ours\n')]);
      const apply = (body: object, sha = source.id) =>
        v4().post(repo(`commits/${sha}/${verb}`), body);
      const refused = (code: string) => ({
        message: expect.stringMatching(`^Sorry, we cannot ${kind} this commit`) as string,
        error_code: code,
      });
      const clash = await apply({ branch }).expect(400);
      expect(clash.body).toEqual(refused('conflict'));
      const checked = await apply({ branch, dry_run: true }).expect(400);
      expect(checked.body).toEqual(refused('conflict'));
      const there = verb === 'revert' ? 'master' : `source-${kind}`;
      const empty = await apply({ branch: there }).expect(400);
      expect(empty.body).toEqual(refused('empty'));
      const missing = await apply({}).expect(400);
      expect(missing.body).toEqual({ error: 'branch is missing' });
      const noBranch = await apply({ branch: 'absent' }).expect(404);
      expect(noBranch.body).toEqual(message('404 Branch Not Found'));
      const noCommit = await apply({ branch }, 'f'.repeat(40)).expect(404);
      expect(noCommit.body).toEqual(message('404 Commit Not Found'));
      await v3()
        .put(repo(`branches/${branch}/protect`))
        .expect(200);
      const member = await memberOf(trellis, made.project, 30);
      const denied = await trellis
        .as(member)
        .v4.post(repo(`commits/${source.id}/${verb}`), { branch, dry_run: true })
        .expect(403);
      expect(denied.body).toEqual(
        message('403 Forbidden - You are not allowed to push into this branch'),
      );
    });

    it('list the branches and tags that contain them', async () => {
      const { id } = await commitOn('held/a', [{ action: 'create', file_path: 'h', content: 'h' }]);
      for (const body of [
        { branch: 'held/b', ref: id },
        { branch: 'holder', ref: id },
      ]) {
        await v4().post(repo('branches'), body).expect(201);
      }
      await v4()
        .post(repo('tags'), { tag_name: 'held', ref: id, message: 'Annotated' })
        .expect(201);
      const branches = ['held/a', 'held/b', 'holder'].map((name) => ({ type: 'branch', name }));
      const tags = [{ type: 'tag', name: 'held' }];
      const read = (query: string) => v4().get(repo(`commits/${id}/refs${query}`));
      expect((await read('').expect(200)).body).toEqual([...branches, ...tags]);
      expect((await read('?type=all').expect(200)).body).toEqual([...branches, ...tags]);
      expect((await read('?type=branch').expect(200)).body).toEqual(branches);
      expect((await read('?type=tag').expect(200)).body).toEqual(tags);
      const page = await read('?per_page=1&page=2').expect(200);
      expect(page.body).toEqual([branches[1]]);
      expect(page.headers).toMatchObject({ 'x-total': '4', 'x-next-page': '3' });
      const root = await v4()
        .get(repo(`commits/${made.head}/refs?per_page=100`))
        .expect(200);
      expect(root.body).toEqual(expect.arrayContaining([...branches, ...tags]));
      const wrong = await read('?type=note').expect(400);
      expect(wrong.body).toEqual({ error: 'type does not have a valid value' });
      const absent = await v4()
        .get(repo(`commits/${'0'.repeat(40)}/refs`))
        .expect(404);
      expect(absent.body).toEqual(message('404 Commit Not Found'));
    });

    it('show diffs from the first hunk on, comparisons and merge bases', async () => {
      const { id } = await commitOn('compared', [
        { action: 'create', file_path: 'c.txt', content: 'One\n' },
      ]);
      const diff = {
        ...{ diff: '@@ -0,0 +1 @@\n+One\n', collapsed: false, too_large: false },
        ...{ new_path: 'c.txt', old_path: 'c.txt', a_mode: '0', b_mode: '100644' },
        ...{ new_file: true, renamed_file: false, deleted_file: false, generated_file: false },
      };
      expect(
        (
          await v4()
            .get(repo(`commits/${id}/diff`))
            .expect(200)
        ).body,
      ).toEqual([diff]);
      const commit = commitView(id, 'On compared', [made.head]);
      const compared = await v4()
        .get(repo(`compare?from=${made.head}&to=compared`))
        .expect(200);
      expect(compared.body).toEqual({
        ...{ commit, commits: [commit], diffs: [diff] },
        ...{ compare_timeout: false, compare_same_ref: false },
        web_url: `${page}/compare/${made.head}...compared`,
      });
      const common = await v4().get(repo(`merge_base?refs[]=compared&refs[]=${made.head}`));
      expect([common.status, common.body]).toMatchObject([200, { id: made.head }]);
      await v4().get(repo('merge_base?refs=master')).expect(400);
      await v4().get(repo('merge_base?refs=master,absent')).expect(404);
    });

    it('have comments and contributors', async () => {
      const body = { note: 'Why?', path: 'file.txt', line: 1, line_type: 'new' };
      const comment = { ...body, author: userView(owner), created_at: TIME };
      const posted = await v4()
        .post(repo(`commits/${made.head}/comments`), body)
        .expect(201);
      expect(posted.body).toEqual(comment);
      const list = await v4()
        .get(repo(`commits/${made.head}/comments`))
        .expect(200);
      expect(list.body).toEqual([comment]);
      const authors = await v4().get(repo('contributors')).expect(200);
      expect(authors.body).toContainEqual(
        expect.objectContaining({ name: 'Ada', additions: 0, deletions: 0 }),
      );
    });
  });

  describe('files', () => {
    const whole = 'ä dir/nested.page.json';
    const at = () => repo(`files/${encodeURIComponent('ä dir')}%2Fnested.page.json`);

    it('are created, read, changed and deleted, by path with encoded slashes', async () => {
      const terms = { branch: 'files', start_branch: 'master', commit_message: 'Write' };
      const created = await v4()
        .post(at(), { ...terms, content: 'Hällo' })
        .expect(201);
      expect(created.body).toEqual({ file_path: whole, branch: 'files' });
      const read = await v4().get(`${at()}?ref=files`).expect(200);
      const file = read.body as { blob_id: string; commit_id: string };
      expect(file).toEqual({
        file_name: 'nested.page.json',
        file_path: whole,
        size: 6,
        encoding: 'base64',
        content_sha256: createHash('sha256').update('Hällo').digest('hex'),
        ref: 'files',
        blob_id: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        commit_id: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        last_commit_id: file.commit_id,
        execute_filemode: false,
        content: Buffer.from('Hällo').toString('base64'),
      });
      const old = await v3().get(repo(`files?ref=files&file_path=${encodeURIComponent(whole)}`));
      expect(file).toMatchObject({ ...(old.body as object) });
      const change = {
        branch: 'files',
        commit_message: 'Change',
        content: '#!',
        execute_filemode: true,
      };
      const stale = await v4()
        .put(at(), { ...change, last_commit_id: made.head })
        .expect(400);
      expect(stale.body).toEqual(
        message(
          'You are attempting to update a file that has changed since you started editing it.',
        ),
      );
      await v4()
        .put(at(), { ...change, last_commit_id: file.commit_id })
        .expect(200);
      const changed = await v4().get(`${at()}?ref=files`).expect(200);
      expect(changed.body).toMatchObject({ size: 2, execute_filemode: true });
      const removal = { branch: 'files', commit_message: 'Remove' };
      await v4().delete(at()).send(removal).expect(204, '');
      const gone = await v4().get(`${at()}?ref=files`).expect(404);
      expect(gone.body).toEqual(message('404 File Not Found'));
    });

    it('have their facts in headers, also without content', async () => {
      const { work } = made;
      await work.git('checkout', '--quiet', '-b', 'headers');
      await work.commit('Headers', 'x ä\n.txt');
      expect((await work.push('headers')).code).toBe(0);
      const name = encodeURIComponent('x ä\n.txt');
      const content = (
        await v4()
          .get(repo(`files/${name}/raw?ref=headers`))
          .expect(200)
      ).text;
      for (const [verb, url] of [
        ['head', `files/${name}?ref=headers`],
        ['get', `files/${name}?ref=headers`],
        ['get', `files/${name}/raw?ref=headers`],
      ] as const) {
        const { headers } = await v4().call(verb, repo(url)).expect(200);
        expect(headers).toMatchObject({
          'x-gitlab-blob-id': expect.stringMatching(/^[0-9a-f]{40}$/) as string,
          'x-gitlab-commit-id': expect.stringMatching(/^[0-9a-f]{40}$/) as string,
          'x-gitlab-content-sha256': createHash('sha256').update(content).digest('hex'),
          'x-gitlab-encoding': 'base64',
          'x-gitlab-execute-filemode': 'false',
          'x-gitlab-file-name': Buffer.from('x ä%0A.txt').toString('latin1'),
          'x-gitlab-last-commit-id': headers['x-gitlab-commit-id'] as string,
          'x-gitlab-ref': 'headers',
          'x-gitlab-size': String(content.length),
        });
      }
      await v4().call('head', repo('files/absent?ref=headers')).expect(404);
    });

    it('are attributed to commits, in ranges of lines and across renaming', async () => {
      const wrote = await commitOn('blamed', [
        { action: 'create', file_path: 'old name', content: 'one\ntwo\nthree\n' },
      ]);
      const later = { start_branch: undefined };
      const change = { action: 'update', file_path: 'old name', content: 'one\nzwei\nthree' };
      const changed = await commitOn('blamed', [change], later);
      const move = { action: 'move', previous_path: 'old name', file_path: 'a/new name' };
      await commitOn('blamed', [move], later);
      const blamed = ({ id, parent_ids }: CommitBody, ...lines: string[]) => ({
        commit: {
          id,
          parent_ids,
          message: 'On blamed',
          authored_date: GIT_DATE,
          author_name: owner.user.name,
          author_email: owner.user.email,
          committed_date: GIT_DATE,
          committer_name: owner.user.name,
          committer_email: owner.user.email,
        },
        lines,
      });
      const path = repo('files/a%2Fnew%20name/blame?ref=blamed');
      const all = [blamed(wrote, 'one'), blamed(changed, 'zwei', 'three')];
      const answer = await v4().get(path).expect(200);
      expect(answer.body).toEqual(all);
      expect(answer.headers).toMatchObject({
        'x-gitlab-file-path': 'a/new name',
        'x-gitlab-size': '14',
      });
      const head = await v4().call('head', path).expect(200);
      expect(head.headers['x-gitlab-blob-id']).toBe(answer.headers['x-gitlab-blob-id']);
      const ranged = async (start: unknown, end: unknown) =>
        v4().get(`${path}&range[start]=${String(start)}&range[end]=${String(end)}`);
      expect((await ranged(2, 2)).body).toEqual([blamed(changed, 'zwei')]);
      expect((await ranged(3, 99)).body).toEqual([blamed(changed, 'three')]);
      expect((await ranged(4, 5)).body).toEqual([]);
      for (const [start, end, text] of [
        [2, 1, 'range[start] must be less than or equal to range[end]'],
        [0, 1, 'range[start] does not have a valid value'],
        ['x', 1, 'range[start] is invalid'],
      ]) {
        const refused = await ranged(start, end);
        expect([refused.status, refused.body]).toEqual([400, { error: text }]);
      }
      const half = await v4().get(`${path}&range[start]=1`).expect(400);
      expect(half.body).toEqual({ error: 'range[end] is missing' });
      const flat = await v4().get(`${path}&range=1`).expect(400);
      expect(flat.body).toEqual({ error: 'range is invalid' });
      const missing = await v4().get(repo('files/absent/blame?ref=blamed')).expect(404);
      expect(missing.body).toEqual(message('404 File Not Found'));
      const refless = await v4().get(repo('files/file.txt/blame')).expect(400);
      expect(refless.body).toEqual({ error: 'ref is missing' });
    });

    it('refuses to attribute long files, and lines of commits that are long to describe', async () => {
      const long = 'x'.repeat(4 * 1024 * 1024 + 1);
      await commitOn('too-long', [{ action: 'create', file_path: 'long', content: long }]);
      await v4().get(repo('files/long/blame?ref=too-long')).expect(413);
      const lines = (marks: string) =>
        Array.from({ length: 2_000 }, (_, at) => (at % 2 ? `${marks}${String(at)}` : String(at)));
      const even = { action: 'create', file_path: 'wide', content: lines('').join('\n') };
      const odd = { action: 'update', file_path: 'wide', content: lines('odd').join('\n') };
      const verbose = { commit_message: 'x'.repeat(60_000) };
      await commitOn('verbose', [even], verbose);
      await commitOn('verbose', [odd], { ...verbose, start_branch: undefined });
      await v4().get(repo('files/wide/blame?ref=verbose')).expect(413);
      const few = await v4()
        .get(repo('files/wide/blame?ref=verbose&range[start]=1&range[end]=9'))
        .expect(200);
      expect(few.body).toHaveLength(9);
    });

    it('are downloaded raw, from the default branch without a ref', async () => {
      for (const query of ['', '?ref=HEAD', '?ref=master']) {
        const raw = await v4()
          .get(repo(`files/file.txt/raw${query}`))
          .expect(200);
        expect(raw.headers['content-type']).toBe('text/plain; charset=utf-8');
        const json = await v4().get(repo('files/file.txt?ref=HEAD')).expect(200);
        const { content, blob_id } = json.body as { content: string; blob_id: string };
        expect(raw.text).toBe(Buffer.from(content, 'base64').toString());
        const blob = await v4()
          .get(repo(`blobs/${blob_id}`))
          .expect(200);
        expect(blob.body).toEqual({
          ...{ size: raw.text.length, encoding: 'base64', content, sha: blob_id },
        });
        const rawBlob = await v4()
          .get(repo(`blobs/${blob_id}/raw`))
          .expect(200);
        expect(rawBlob.text).toBe(raw.text);
        // Version 3 finds blobs by their first digits, too.
        const prefix = blob_id.slice(0, 39);
        await v3()
          .get(repo(`raw_blobs/${prefix}`))
          .expect(200);
        for (const rest of ['', '/raw']) {
          const hidden = await v4().get(repo(`blobs/${prefix}${rest}`));
          expect([hidden.status, hidden.body]).toEqual([404, message('404 Blob Not Found')]);
        }
      }
      const archive = await v4().get(repo('archive.zip?sha=master')).expect(200);
      expect(archive.headers['content-type']).toBe('application/zip');
    });

    it('refuses a missing ref, and paths that leave the repository', async () => {
      const missing = await v4().get(repo('files/file.txt')).expect(400);
      expect(missing.body).toEqual({ error: 'ref is missing' });
      for (const bad of ['%2Fetc%2Fpasswd', 'a%2F..%2Fb', '..%2Fb']) {
        const refused = await v4()
          .get(repo(`files/${bad}?ref=master`))
          .expect(400);
        expect(refused.body).toEqual({ error: 'file_path should be a valid file path' });
      }
    });

    it('are listed as a tree, in pages with links', async () => {
      const paths = ['t/a/b.txt', 't/c.txt', 't/d.txt'];
      await commitOn(
        'tree',
        paths.map((file_path) => ({ action: 'create', file_path, content: 'x' })),
      );
      const list = await v4().get(repo('tree?ref=tree&path=t&recursive=true&pagination=keyset'));
      expect((list.body as { path: string }[]).map((entry) => entry.path)).toEqual([
        't/a',
        ...paths,
      ]);
      expect((list.body as object[])[0]).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        ...{ name: 'a', type: 'tree', path: 't/a', mode: '040000' },
      });
      const keyset = 'tree?ref=tree&path=t&recursive=true&pagination=keyset&per_page=3';
      const begin = await v4().get(repo(keyset)).expect(200);
      expect(begin.body).toMatchObject([{ path: 't/a' }, { path: paths[0] }, { path: paths[1] }]);
      expect(
        Object.keys(begin.headers as object).filter((name) => /^x-(?:page|total)/.test(name)),
      ).toEqual([]);
      const link = /^<[^>]*(\/projects\/[^>]*)>; rel="next"$/.exec(begin.headers['link'] as string);
      expect(link?.[1]).toContain('page_token=t%2Fc.txt');
      const end = await v4()
        .get(link?.[1] ?? '')
        .expect(200);
      expect(end.body).toMatchObject([{ path: paths[2] }]);
      expect(end.headers).not.toHaveProperty('link');
      const lost = await v4()
        .get(repo(`${keyset}&page_token=t%2Fz`))
        .expect(422);
      expect(lost.body).toEqual(message('Invalid page token: t/z'));
      const first = await v4().get(repo('tree?ref=tree&path=t&per_page=2')).expect(200);
      expect(first.headers['link']).toMatch(/<[^>]*page=2[^>]*>; rel="next"/);
      expect((await v4().get(repo('tree')).expect(200)).body).toMatchObject([{ path: 'file.txt' }]);
      const folder = await v4().get(repo('tree?path=absent')).expect(404);
      expect(folder.body).toEqual(message('404 invalid revision or path Not Found'));
      const ref = await v4().get(repo('tree?ref=absent')).expect(404);
      expect(ref.body).toEqual(message('404 Tree Not Found'));
      expect((await v3().get(repo('tree?path=absent')).expect(200)).body).toEqual([]);
    });
  });

  describe('branches', () => {
    it('are created, found by name and deleted', async () => {
      const url = repo('branches');
      const answer = await v4().post(`${url}?branch=find/me&ref=master`).expect(201);
      const branch = {
        name: 'find/me',
        commit: expect.objectContaining({
          id: made.head,
          web_url: `${page}/commit/${made.head}`,
        }) as object,
        ...{ merged: false, protected: false, default: false, can_push: true },
        ...{ developers_can_push: false, developers_can_merge: false },
        web_url: `${page}/tree/find/me`,
      };
      expect(answer.body).toEqual(branch);
      for (const search of ['FIND', '^find', 'me$', '^find/me$']) {
        const query = `search=${encodeURIComponent(search)}`;
        expect((await v4().get(`${url}?${query}`).expect(200)).body).toEqual([branch]);
      }
      const none = await v4().get(`${url}?search=%5Eme`).expect(200);
      expect(none.body).toEqual([]);
      const trunk = await v4().get(`${url}/master`).expect(200);
      expect(trunk.body).toMatchObject({ default: true, merged: false });
      const again = await v4().post(url, { branch: 'find/me', ref: 'master' }).expect(400);
      expect(again.body).toEqual(message('Branch already exists'));
      const reporter = await memberOf(trellis, made.project, 20);
      const read = await trellis.as(reporter).v4.get(`${url}/find%2Fme`).expect(200);
      expect(read.body).toEqual({ ...branch, can_push: false });
      expect((await v3().get(`${url}/find%2Fme`).expect(200)).body).toMatchObject({
        name: 'find/me',
      });
      await v4().delete(`${url}/find%2Fme`).expect(204, '');
      for (const verb of ['get', 'delete'] as const) {
        const gone = await v4().call(verb, `${url}/find%2Fme`).expect(404);
        expect(gone.body).toEqual(message('404 Branch Not Found'));
      }
      await v4().delete(`${url}/master`).expect(405);
      const accepted = await v4().delete(repo('merged_branches')).expect(202);
      expect(accepted.body).toEqual(message('202 Accepted'));
    });
  });

  describe('tags', () => {
    it('are created, ordered and deleted', async () => {
      const { project, work, head } = await projects.make();
      const tags = `/projects/${String(project.id)}/repository/tags`;
      const old = `object ${head}\ntype commit\ntag v9\ntagger Zoe <zoe@example.com> 1000000000 +0000\n\nNine\n`;
      await writeFile(path.join(work.folder, 'old-tag'), old);
      await work.git('tag', 'v9', await work.git('hash-object', '-t', 'tag', '-w', 'old-tag'));
      await rm(path.join(work.folder, 'old-tag'));
      await work.commit('Second');
      await work.git('tag', 'v10');
      expect((await work.push('HEAD:refs/heads/master', '--tags')).code).toBe(0);
      const body = { tag_name: 'v2', ref: 'master', message: 'Two' };
      const created = await v4().post(tags, body).expect(201);
      const tag = created.body as { target: string; commit: CommitBody };
      expect(tag).toEqual({
        ...{ name: 'v2', message: 'Two', release: null, protected: false, created_at: GIT_DATE },
        target: expect.not.stringMatching(tag.commit.id) as string,
        commit: expect.objectContaining({ title: 'Second' }) as object,
      });
      const order = async (query: string) => {
        const { body } = await v4().get(`${tags}?${query}`).expect(200);
        return (body as { name: string }[]).map(({ name }) => name);
      };
      expect((await order('')).at(-1)).toBe('v9');
      expect((await order('sort=asc')).at(0)).toBe('v9');
      expect(await order('order_by=version&sort=asc')).toEqual(['v2', 'v9', 'v10']);
      expect(await order('order_by=name')).toEqual(['v9', 'v2', 'v10']);
      expect(await order('search=%5Ev1')).toEqual(['v10']);
      const light = await v4().get(`${tags}/v10`).expect(200);
      expect(light.body).toMatchObject({ message: '', created_at: null, target: tag.commit.id });
      await v4().delete(`${tags}/v2`).expect(204, '');
      const gone = await v4().delete(`${tags}/v2`).expect(404);
      expect(gone.body).toEqual(message('404 Tag Not Found'));
      expect((await v3().get(`${tags}/v9`).expect(200)).body).toMatchObject({ name: 'v9' });
    });
  });

  describe('commit statuses', () => {
    it('of a commit and ref make one pipeline', async () => {
      const { id: sha } = await commitOn('ci', [
        { action: 'create', file_path: 'ci', content: 'x' },
      ]);
      const post = (body: object) => v4().post(`${base}/statuses/${sha}`, body);
      const first = await post({ state: 'running', context: 'build', ref: 'ci' }).expect(201);
      const { id } = first.body as { id: number };
      expect(first.body).toEqual({
        ...{ id, sha, ref: 'ci', status: 'running', name: 'build', target_url: null },
        ...{ description: null, created_at: TIME, started_at: TIME, finished_at: null },
        ...{ allow_failure: false, coverage: null, pipeline_id: id, author: userView(owner) },
      });
      const repeated = await post({ state: 'running', name: 'build', ref: 'ci' }).expect(400);
      expect(repeated.body).toEqual(message('Cannot transition status via :run from :running'));
      const url = 'https://ci.example/7';
      const second = await post({
        state: 'success',
        name: 'lint',
        pipeline_id: id,
        target_url: url,
      });
      expect([second.status, second.body]).toMatchObject([201, { ref: 'ci', pipeline_id: id }]);
      const other = await post({ state: 'success', pipeline_id: id + 999 }).expect(404);
      expect(other.body).toEqual(message('404 Pipeline Not Found'));
      const list = await v4()
        .get(repo(`commits/${sha}/statuses`))
        .expect(200);
      expect(list.body).toEqual([first.body, second.body]);
      const old = await v3()
        .get(repo(`commits/${sha}/statuses`))
        .expect(200);
      expect(old.body).toMatchObject([{ id, name: 'build' }, { name: 'lint' }]);
      const read = await v4()
        .get(repo(`commits/${sha}`))
        .expect(200);
      expect(read.body).toMatchObject({
        status: 'running',
        last_pipeline: {
          ...{ id, project_id: made.project.id, sha, ref: 'ci', status: 'running' },
          ...{ source: 'external', created_at: TIME, updated_at: TIME, web_url: url },
        },
      });
      await post({ state: 'success', name: 'build', ref: 'ci' }).expect(201);
      const done = await v4()
        .get(repo(`commits/${sha}`))
        .expect(200);
      expect((done.body as CommitBody).last_pipeline).toMatchObject({ id, status: 'success' });
    });

    it('have the coverage that was reported last, and may be skipped', async () => {
      const { id: sha } = await commitOn('ci-more', [
        { action: 'create', file_path: 'ci', content: 'more' },
      ]);
      const post = async (body: object, status = 201) =>
        (
          await v4()
            .post(`${base}/statuses/${sha}`, { ref: 'ci-more', ...body })
            .expect(status)
        ).body as Record<string, unknown>;
      expect(await post({ state: 'skipped', name: 'deploy' })).toMatchObject({
        ...{ status: 'skipped', coverage: null, started_at: null, finished_at: TIME },
      });
      const read = async (client: Client) =>
        (await client.get(repo(`commits/${sha}`)).expect(200)).body as Record<string, unknown>;
      expect(await read(v4())).toMatchObject({
        status: 'skipped',
        last_pipeline: { status: 'skipped' },
      });
      const test = { name: 'test' };
      expect(await post({ ...test, state: 'running', coverage: '33.5' })).toMatchObject({
        coverage: 33.5,
      });
      expect(await post({ ...test, state: 'success' })).toMatchObject({ coverage: 33.5 });
      expect(await post({ ...test, state: 'success', coverage: 100 })).toMatchObject({
        coverage: 100,
      });
      const list = await v4()
        .get(repo(`commits/${sha}/statuses?all=true`))
        .expect(200);
      expect(list.body).toMatchObject([{ coverage: null }, { coverage: 33.5 }, { coverage: 100 }]);
      expect(await read(v3())).toMatchObject({ status: 'success' });
      const old = await v3()
        .get(repo(`commits/${sha}/statuses`))
        .expect(200);
      expect(old.body).toMatchObject([{ status: 'skipped' }, { status: 'success' }]);
      for (const [coverage, text] of [
        ['much', 'coverage is invalid'],
        [[1], 'coverage is invalid'],
        ['1e3', 'coverage is invalid'],
        [100.5, 'coverage does not have a valid value'],
        [-1, 'coverage does not have a valid value'],
      ]) {
        expect(await post({ ...test, state: 'success', coverage }, 400)).toEqual({ error: text });
      }
      const other = await v3().post(`${base}/statuses/${sha}`, { state: 'skipped' }).expect(400);
      expect(other.body).toEqual({ error: 'state does not have a valid value' });
    });

    it('of several refs belong to the pipelines of their refs, the newest of which began last', async () => {
      const { id: sha } = await commitOn('ci-refs', [
        { action: 'create', file_path: 'ci', content: 'refs' },
      ]);
      const post = async (body: object) => {
        const posted = await v4().post(`${base}/statuses/${sha}`, body).expect(201);
        return posted.body as { id: number; pipeline_id: number };
      };
      const url = 'https://ci.example/8';
      const first = await post({ state: 'success', ref: 'one', name: 'a' });
      const second = await post({ state: 'failed', ref: 'two', name: 'a' });
      const later = await post({ state: 'success', ref: 'one', name: 'b', target_url: url });
      const named = await post({ state: 'success', name: 'c', pipeline_id: second.id });
      expect(named).toMatchObject({ ref: 'two', pipeline_id: second.id });
      const list = await v4()
        .get(repo(`commits/${sha}/statuses?per_page=3`))
        .expect(200);
      expect(list.body).toMatchObject([
        { id: first.id, pipeline_id: first.id },
        { id: second.id, pipeline_id: second.id },
        { id: later.id, pipeline_id: first.id },
      ]);
      const read = await v4()
        .get(repo(`commits/${sha}`))
        .expect(200);
      expect((read.body as CommitBody).last_pipeline).toMatchObject({
        ...{ id: second.id, ref: 'two', status: 'failed' },
      });
      await v4()
        .post(`${base}/statuses/${sha}`, { state: 'success', pipeline_id: later.id })
        .expect(404);
      const { id: other } = await commitOn('ci-other', [
        { action: 'create', file_path: 'ci', content: 'other' },
      ]);
      await v4()
        .post(`${base}/statuses/${other}`, { state: 'success', pipeline_id: first.id })
        .expect(404);
    });

    it('are answered without reading target URLs of other pipelines', async () => {
      const { id: sha } = await commitOn('ci-urls', [
        { action: 'create', file_path: 'ci', content: 'urls' },
      ]);
      await trellis.rows(
        `INSERT INTO commit_statuses (project_id, sha, ref, name, status, target_url, author_id)
         SELECT $1, $2, 'ref' || n, 'build', 'success', 'https://ci.example/' || repeat('x', 2000), $3
           FROM generate_series(1, 50) n`,
        [made.project.id, sha, owner.user.id],
      );
      const [oldest] = await trellis.rows<{ id: number }>(
        'SELECT min(id) AS id FROM commit_statuses WHERE project_id = $1 AND sha = $2',
        [made.project.id, sha],
      );
      const urlsRead = async (request: () => Promise<unknown>): Promise<number> => {
        const ran = await trellis.statements.ran(request);
        const selects = ran.filter(
          ({ sql }) => /^\s*SELECT/.test(sql) && sql.includes('commit_statuses'),
        );
        const results = await Promise.all(
          selects.map(({ sql, parameters }) => trellis.rows(sql, parameters)),
        );
        return JSON.stringify(results).split('https://ci.example/').length - 1;
      };
      const status = { state: 'success', name: 'lint' };
      const post = (body: object) =>
        v4()
          .post(`${base}/statuses/${sha}`, { ...status, ...body })
          .expect(201);
      const read = (path: string) =>
        v4()
          .get(repo(`commits/${sha}${path}`))
          .expect(200);
      expect(await urlsRead(() => read(''))).toBe(1);
      // One status more than the page has, by which the next page is found.
      expect(await urlsRead(() => read('/statuses?per_page=2'))).toBe(3);
      expect(await urlsRead(() => post({ ref: 'ref7' }))).toBe(0);
      expect(await urlsRead(() => post({ pipeline_id: oldest!.id }))).toBe(0);
    });
  });

  it('returns 404 without a token and to strangers, 403 to guests of a private project', async () => {
    const stranger = await trellis.factories.user();
    const guest = await memberOf(trellis, made.project, 10);
    for (const path of ['tree', 'branches', 'tags', 'commits', 'files/file.txt?ref=master']) {
      await trellis.anonymous.v4.get(repo(path)).expect(404);
      await trellis.as(stranger).v4.get(repo(path)).expect(404);
      await trellis.as(guest).v4.get(repo(path)).expect(403);
    }
  });
});
