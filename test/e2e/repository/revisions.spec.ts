import request from 'supertest';
import { Checkout, numberedMessages } from '../../support/checkout.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { type MergeRequestBody, mergeRequestsOf } from '../../support/merge-requests.js';
import { Trellis } from '../../support/trellis.js';

interface Answer {
  status: number;
  /** The commit that was answered about; null for a refusal and an empty list. */
  commit: string | null;
}

/**
 * `master` has four commits and a merge of `side`. Both `twin` and `master` are a branch and a tag; the tag `files` marks
 * a folder, and there is a branch of that name.
 */
describe('revisions', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;
  let work: Checkout;
  let base: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
    base = `/projects/${String(project.id)}`;
    work = await Checkout.create(trellis, project, owner);
    await work.commitAll(numberedMessages(4));
    await work.git('checkout', '--quiet', '-b', 'side', 'HEAD~2');
    await work.commit('Aside', 'side.txt');
    await work.git('checkout', '--quiet', 'master');
    await work.git('merge', '--quiet', '--no-ff', '-m', 'Merge side', 'side');
    await work.git('branch', 'twin', 'master~2');
    await work.git('tag', '-a', '-m', 'Twin', 'twin', 'side');
    await work.git('tag', 'master', 'master~3');
    await work.git('branch', 'files', 'side');
    await work.git('tag', 'files', 'heads/master^{tree}');
    const { code, stderr } = await work.push('refs/heads/master');
    expect([code, stderr]).toEqual([0, expect.anything()]);
    const rest = ['refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'];
    expect((await work.push(...rest)).code).toBe(0);
  });
  afterAll(() => work.remove());

  const idOf = (revision: string) => work.git('rev-parse', `${revision}^{commit}`);
  const call = (verb: 'get' | 'post', path: string) =>
    request(trellis.url)[verb](`/api/v3${base}${path}`).set('PRIVATE-TOKEN', owner.token);
  const body = (answer: { body: unknown }) => answer.body as Record<string, unknown>;
  const commitOf = (answer: { body: unknown }) => (body(answer)['commit'] as { id: string }).id;

  async function answered(
    asking: request.Test,
    read: (answer: request.Response) => unknown,
  ): Promise<Answer> {
    const answer = await asking;
    const commit = answer.status === 200 ? read(answer) : null;
    return { status: answer.status, commit: typeof commit === 'string' ? commit : null };
  }

  const treeOf = async (revision: string): Promise<Answer> => {
    const { status, commit } = await answered(
      call('get', `/repository/tree?ref_name=${revision}`),
      (answer) => JSON.stringify((answer.body as { id: string }[]).map(({ id }) => id)),
    );
    return { status, commit };
  };

  /** By endpoint, the status for an unknown revision, and the request with an encoded one. */
  const ENDPOINTS: Record<string, [unknown: number, (revision: string) => Promise<Answer>]> = {
    'GET commits/:sha': [
      404,
      (revision) =>
        answered(call('get', `/repository/commits/${revision}`), (answer) => body(answer)['id']),
    ],
    'GET commits': [
      200,
      (revision) =>
        answered(
          call('get', `/repository/commits?per_page=1&ref_name=${revision}`),
          (answer) => (answer.body as { id: string }[])[0]?.id,
        ),
    ],
    'GET files': [
      404,
      (revision) =>
        answered(
          call('get', `/repository/files?file_path=file.txt&ref=${revision}`),
          (answer) => body(answer)['commit_id'],
        ),
    ],
    'GET archive': [
      404,
      (revision) =>
        answered(
          call('get', `/repository/archive.tar?sha=${revision}`),
          ({ headers }) => /-([0-9a-f]{40})\.tar/.exec(headers['content-disposition'] ?? '')?.[1],
        ),
    ],
    'GET compare': [
      404,
      async (revision) => {
        const from = await idOf('heads/master~4');
        return answered(call('get', `/repository/compare?from=${from}&to=${revision}`), (answer) =>
          body(answer)['compare_same_ref'] === true
            ? from
            : (body(answer)['commit'] as { id: string })['id'],
        );
      },
    ],
    'GET commits/:sha/statuses and POST statuses/:sha': [
      404,
      async (revision) => {
        const posted = await answered(
          call('post', `/statuses/${revision}`).send({ state: 'success', name: unique() }),
          (answer) => body(answer)['sha'],
        );
        const list = await answered(
          call('get', `/repository/commits/${revision}/statuses`),
          (answer) => (answer.body as { sha: string }[])[0]?.sha,
        );
        expect(list).toEqual(posted);
        return posted;
      },
    ],
    'POST branches': [
      400,
      (revision) =>
        answered(
          call('post', '/repository/branches').send({
            branch_name: unique(),
            ref: decodeURIComponent(revision),
          }),
          commitOf,
        ),
    ],
    'POST tags': [
      400,
      (revision) =>
        answered(
          call('post', '/repository/tags').send({
            tag_name: unique(),
            ref: decodeURIComponent(revision),
          }),
          commitOf,
        ),
    ],
    'the text of a commit': [
      404,
      (revision) =>
        answered(
          request(trellis.url)
            .get(`/${project.fullPath}/commit/${revision}.patch`)
            .set('PRIVATE-TOKEN', owner.token),
          ({ text }) => /^From ([0-9a-f]{40}) /.exec(text)?.[1],
        ),
    ],
  };
  const NAMES = Object.keys(ENDPOINTS);
  const ask = (name: string, revision: string): Promise<Answer> =>
    ENDPOINTS[name]![1](encodeURIComponent(revision));

  /** What git resolves each revision to. */
  async function resolved(revisions: readonly string[]): Promise<Map<string, string>> {
    const commits = await work.git('rev-parse', ...revisions.map((each) => `${each}^{commit}`));
    const ids = commits.split('\n');
    return new Map(revisions.map((revision, at) => [revision, ids[at] ?? '']));
  }

  async function expectResolved(name: string, expected: ReadonlyMap<string, string>) {
    for (const [revision, commit] of expected) {
      expect([revision, await ask(name, revision)]).toEqual([revision, { status: 200, commit }]);
    }
  }

  async function expectUnknown(name: string, revisions: readonly string[]) {
    const [status] = ENDPOINTS[name]!;
    for (const revision of revisions) {
      expect([revision, await ask(name, revision)]).toEqual([revision, { status, commit: null }]);
    }
  }

  it('resolves what git resolves', async () => {
    const newest = await idOf('heads/master');
    const expected = await resolved([
      ...['HEAD', '@', 'HEAD~2', 'HEAD^2', '@^2~1', 'HEAD^^^', 'master', 'heads/master'],
      ...['twin', 'tags/twin', 'refs/tags/twin', 'heads/twin', 'refs/heads/twin', 'heads/files'],
      ...['twin^{commit}', 'twin^{}', 'twin~1', 'heads/twin^', 'refs/tags/twin^0', 'side~'],
      ...['side~2', 'refs/heads/master', newest, newest.toUpperCase(), newest.slice(0, 7)],
      ...[`${newest}^1`, `${newest.slice(0, 12)}~1`],
    ]);
    // The tag of this name wins over the default branch.
    expect(expected.get('master')).toBe(await idOf('heads/master~3'));
    expected.set(`side${'^0'.repeat(2_000)}~1`, await idOf('side~1'));
    await expectResolved('GET commits/:sha', expected);
  });

  it.each(NAMES)('resolves a revision of each kind: %s', async (name) => {
    const newest = await idOf('heads/master');
    const abbreviated = `${newest.slice(0, 12)}~1`;
    await expectResolved(
      name,
      await resolved(['twin', 'heads/twin', 'side~2', 'HEAD^2', 'master', abbreviated]),
    );
  });

  it('treats revisions of any other form as unknown', async () => {
    const newest = await idOf('heads/master');
    await expectUnknown('GET commits/:sha', [
      ...['absent', 'HEAD~99', 'HEAD~1001', 'HEAD~999999999', 'HEAD^3', 'HEAD^{tree}', 'HEAD@{1}'],
      ...['files', 'files^{commit}', 'refs/tags/files', '@{-1}', ':/Commit', 'HEAD^{/Commit}'],
      ...['side..HEAD', 'side...HEAD', '^HEAD', 'HEAD:file.txt', 'refs/heads', 'heads/', '~1'],
      ...[newest.slice(0, 6), `${newest}0`, '0'.repeat(40), 'f'.repeat(40), '-n1', '--all'],
      ...[`HEAD${'^'.repeat(1_001)}`, `HEAD${'^0'.repeat(2_100)}`, 'a/'.repeat(2_100)],
    ]);
  });

  it.each(NAMES)('reports an unknown revision: %s', async (name) => {
    await expectUnknown(name, [
      ...['absent', 'HEAD^3', 'files', 'side..HEAD', 'HEAD:file.txt', '0'.repeat(40), '--all'],
      `HEAD${'^0'.repeat(2_100)}`,
    ]);
  });

  it('resolves them for blobs, diffs, comments, folders and cherry-picks', async () => {
    const side = await idOf('side');
    for (const revision of ['HEAD^2', 'tags/twin', 'refs/heads/side', side.slice(0, 7)]) {
      const sha = encodeURIComponent(revision);
      const path = `/repository/commits/${sha}`;
      for (const blob of [`/repository/blobs/${sha}`, `${path}/blob`]) {
        await call('get', `${blob}?filepath=side.txt`).expect(200, 'Aside 5\n');
      }
      const diff = await call('get', `${path}/diff`).expect(200);
      expect(diff.body).toMatchObject([{ new_path: 'side.txt', new_file: true }]);
      await call('post', `${path}/comments`).send({ note: revision }).expect(200);
      const comments = await call('get', `/repository/commits/${side}/comments`).expect(200);
      expect((comments.body as { note: string }[]).at(-1)).toMatchObject({ note: revision });
      expect(await treeOf(sha)).toEqual(await treeOf(side));
      const branch = unique();
      await call('post', '/repository/branches')
        .send({ branch_name: branch, ref: 'HEAD~1' })
        .expect(200);
      const picked = await call('post', `${path}/cherry_pick`).send({ branch }).expect(200);
      expect(picked.body).toMatchObject({ title: 'Aside', parent_ids: [await idOf('HEAD~1')] });
    }
    expect(await treeOf('files')).toEqual({ status: 404, commit: null });
    expect(await treeOf('heads%2Ffiles')).toEqual(await treeOf(side));
  });

  it('uses the default branch by default, although a tag has its name', async () => {
    const newest = await idOf('heads/master');
    const list = await call('get', '/repository/commits?per_page=1').expect(200);
    expect(list.body).toMatchObject([{ id: newest }]);
    const archive = await call('get', '/repository/archive.tar').expect(200);
    expect(archive.headers['content-disposition']).toContain(`-master-${newest}.tar`);
    expect(await treeOf('')).toEqual(await treeOf('HEAD'));
    expect(await treeOf('')).not.toEqual(await treeOf('master'));
    const contributors = await call('get', '/repository/contributors').expect(200);
    expect(contributors.body).toMatchObject([{ name: 'Ada', commits: 5 }]);
  });

  it('moves HEAD with the default branch at once, and removes it without one', async () => {
    const other = await trellis.factories.project(owner);
    const path = `/projects/${String(other.id)}`;
    const commits = `${path}/repository/commits`;
    for (const revision of ['HEAD', '@', 'HEAD~1', 'HEAD^{}']) {
      await trellis
        .as(owner)
        .get(`${commits}/${encodeURIComponent(revision)}`)
        .expect(404);
      const list = await trellis.as(owner).get(`${commits}?ref_name=${revision}`).expect(200);
      expect(list.body).toEqual([]);
    }
    const away = await Checkout.create(trellis, other, owner);
    try {
      const [first, second] = await away.commitAll(['First', 'Second']);
      expect((await away.push('HEAD:refs/heads/master', 'HEAD~1:refs/heads/old')).code).toBe(0);
      const head = async () => body(await trellis.as(owner).get(`${commits}/HEAD`).expect(200));
      expect(await head()).toMatchObject({ id: second });
      await trellis.as(owner).put(path, { default_branch: 'old' }).expect(200);
      expect(await head()).toMatchObject({ id: first });
    } finally {
      await away.remove();
    }
  });

  it('changes validators when a tag takes the name of a branch', async () => {
    await call('post', '/repository/branches')
      .send({ branch_name: 'moved', ref: 'HEAD' })
      .expect(200);
    const paths = [
      ...['/repository/commits?ref_name=moved', '/repository/commits/moved'],
      ...['/repository/files?file_path=file.txt&ref=moved', '/repository/archive.tar?sha=moved'],
      ...['/repository/blobs/moved?filepath=file.txt', '/repository/tree?ref_name=moved'],
      ...['/repository/commits/moved/diff', '/repository/compare?from=master&to=moved'],
    ];
    const validators = new Map<string, string>();
    for (const path of paths) {
      const { headers } = await call('get', path).expect(200);
      validators.set(path, headers['etag'] as string);
      await call('get', path)
        .set('If-None-Match', headers['etag'] as string)
        .expect(304);
    }
    const branch = await call('get', '/repository/branches/moved').expect(200);
    await call('post', '/repository/tags').send({ tag_name: 'moved', ref: 'master' }).expect(200);
    for (const [path, validator] of validators) {
      const { status } = await call('get', path).set('If-None-Match', validator);
      expect([path, status]).toEqual([path, 200]);
    }
    await call('get', '/repository/branches/moved')
      .set('If-None-Match', branch.headers['etag'] as string)
      .expect(304);
  });

  it('does not accept them as names of branches and tags', async () => {
    const branch = await call('get', '/repository/branches/twin').expect(200);
    expect(branch.body).toMatchObject({ name: 'twin', commit: { id: await idOf('heads/twin') } });
    const tag = await call('get', '/repository/tags/twin').expect(200);
    expect(tag.body).toMatchObject({ name: 'twin', commit: { id: await idOf('tags/twin') } });
    for (const name of ['HEAD', '@', 'heads%2Ftwin', 'refs%2Fheads%2Ftwin', 'twin~1']) {
      await call('get', `/repository/branches/${name}`).expect(404);
      await call('get', `/repository/tags/${name}`).expect(404);
    }
    const opened = await trellis
      .as(owner)
      .post(mergeRequestsOf(project), {
        source_branch: 'side',
        target_branch: 'twin',
        title: 'Into a branch',
      })
      .expect(200);
    const { id, sha } = opened.body as MergeRequestBody;
    expect(sha).toBe(await idOf('side'));
    const versions = await trellis
      .as(owner)
      .get(`${mergeRequestsOf(project)}/${String(id)}/versions`)
      .expect(200);
    expect(versions.body).toMatchObject([{ start_commit_sha: await idOf('heads/twin') }]);
    for (const source_branch of ['HEAD', 'heads/side', 'side~1']) {
      const request_ = { source_branch, target_branch: 'master', title: 'x' };
      await trellis.as(owner).post(mergeRequestsOf(project), request_).expect(400);
    }
  });
});
