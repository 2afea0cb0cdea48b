import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DownloadSlots } from '../../../src/modules/authorization/index.js';
import { BrowserSession } from '../../support/browser-session.js';
import { type Cast, makeCast } from '../../support/cast.js';
import { Checkout, remoteOf } from '../../support/checkout.js';
import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { git } from '../../unit/git/support/workshop.js';

const run = promisify(execFile);

/** Harms a page that puts it in as it is. */
const SCRIPT = `<script>alert(1)</script>"><img src=x onerror=alert(2)>'&amp;`;
/** The same as far as Git takes it in names. */
const NAME = `<img_src=x>"'&amp;`;

interface Numbers {
  id: number;
  iid: number;
}

interface Stage {
  readonly project: MadeProject;
  readonly issue: Numbers;
  readonly confidential: Numbers;
  readonly mergeRequest: Numbers;
  readonly milestone: Numbers;
}

describe('pages of resources', () => {
  let trellis: Trellis;
  let cast: Cast;
  let owner: Person;
  let group: MadeGroup;
  let work: Checkout;
  let head: string;
  let topic: string;
  const stages: Stage[] = [];

  const anonymous = () => new BrowserSession(trellis);
  const browserOf = async (person: Person | null) => {
    const browser = anonymous();
    if (person !== null) await browser.signInByToken(person.token);
    return browser;
  };
  const curl = async (address: string, token?: string) => {
    const headers = token === undefined ? {} : { 'Private-Token': token };
    const response = await fetch(trellis.url + address, { headers });
    const { status } = response;
    return { status, type: response.headers.get('content-type'), text: await response.text() };
  };
  const make = async (project: MadeProject): Promise<Stage> => {
    const at = `/projects/${String(project.id)}`;
    const post = async (rest: string, body: object) =>
      (
        await trellis
          .as(owner)
          .post(at + rest, body)
          .expect(200)
      ).body as Numbers;
    const issue = await post('/issues', {
      title: `Issue ${SCRIPT}`,
      description: `Text ${SCRIPT}`,
      labels: 'bug,<b>bold</b>',
    });
    await post(`/issues/${String(issue.id)}/notes`, { body: `Note ${SCRIPT}` });
    const confidential = await post('/issues', { title: 'Secret', confidential: true });
    const milestone = await post('/milestones', { title: `Milestone ${SCRIPT}` });
    const mergeRequest = await post('/merge_requests', {
      ...{ source_branch: NAME, target_branch: 'master', title: `Request ${SCRIPT}` },
    });
    return { project, issue, confidential, milestone, mergeRequest };
  };

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    owner = cast.people.owner as Person;
    group = await trellis.factories.group(owner, { visibilityLevel: 0 });
    work = await Checkout.create(trellis, cast.projects[20], owner);
    head = await work.commit('First commit');
    topic = await work.commit(`Second ${SCRIPT}`, `${NAME}.txt`);
    for (const project of Object.values(cast.projects)) {
      const remote = remoteOf(trellis, project, owner);
      await work.git('push', '--quiet', remote, `${head}:refs/heads/master`);
      await work.git('push', '--quiet', remote, `${topic}:refs/heads/${NAME}`);
      stages.push(await make(project));
    }
  });
  afterAll(() => work.remove());

  /** Each page with the call of the API for the same. */
  const pagesOf = ({ project, issue, confidential, mergeRequest, milestone }: Stage) => {
    const [page, call] = [`/${project.fullPath}`, `/projects/${String(project.id)}`];
    const { iid, id } = mergeRequest;
    return [
      [page, call],
      [`${page}/issues/${issue.iid}`, `${call}/issues/${issue.id}`],
      [`${page}/issues/${confidential.iid}`, `${call}/issues/${confidential.id}`],
      [`${page}/merge_requests/${iid}`, `${call}/merge_requests/${id}`],
      [`${page}/milestones/${milestone.iid}`, `${call}/milestones/${milestone.id}`],
      [`${page}/commit/${topic}`, `${call}/repository/commits/${topic}`],
      [`${page}/commit/${topic}.diff`, `${call}/repository/commits/${topic}/diff`],
      [`${page}/merge_requests/${iid}.patch`, `${call}/merge_requests/${id}/changes`],
      [`${page}/issues/999`, `${call}/issues/999999`],
      [`${page}/commit/${'0'.repeat(40)}`, `${call}/repository/commits/${'0'.repeat(40)}`],
    ] as const;
  };

  // Pages ask for the permissions of the API. How a role comes to its level is tested with effective access.
  it.each([
    ...(['anonymous', 'stranger', 'external', 'blocked'] as const),
    ...(['guest', 'reporter', 'owner'] as const),
  ])('show the data of the API, and return its errors: %s', async (role) => {
    const person = cast.people[role];
    const browser = await browserOf(person);
    const client = person === null ? trellis.anonymous : trellis.as(person);
    const isSignedIn = person !== null && role !== 'blocked';
    const all = stages.flatMap(pagesOf);
    const places = [
      ...all,
      [`/${owner.user.username}`, `/users/${String(owner.user.id)}`] as const,
      [`/groups/${group.path}`, `/groups/${String(group.id)}`] as const,
    ];
    for (const [page, call] of places) {
      const { status: answered } = await client.get(call);
      const expected = answered === 200 || isSignedIn ? answered : 404;
      expect([page, (await browser.get(page)).status]).toEqual([page, expected]);
    }
  });

  it('show the same sign-in form to anonymous readers, whether or not the resource exists', async () => {
    const [hidden] = stages as [Stage, ...Stage[]];
    const texts = await Promise.all(
      [
        ...pagesOf(hidden).map(([page]) => page),
        ...['/no-such/project', '/no-such/project/issues/1', '/no-such/project/commit/abc'],
        ...['/no-such-name', `/${owner.user.username}`, `/groups/${group.path}`, '/groups/none'],
      ].map(async (page) => {
        const { status, text, headers } = await anonymous().get(page);
        expect([page, status, headers.get('set-cookie')?.split('=')[0]]).toEqual([
          ...[page, 404, 'trellis_form'],
        ]);
        return text
          .replace(/name="csrf_token" value="[^"]+"/g, '')
          .replaceAll(page, 'PAGE')
          .replaceAll(encodeURIComponent(page), 'PAGE');
      }),
    );
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('<form method="post" action="/-/sign_in"');
  });

  it('lead back to the page after signing in', async () => {
    const [hidden] = stages as [Stage, ...Stage[]];
    const page = `/${hidden.project.fullPath}/issues/${hidden.issue.iid}`;
    const browser = anonymous();
    const { username } = owner.user;
    const { text } = await browser.get(page);
    const returnTo = /name="return_to" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const answer = await browser.signIn(username, owner.password, returnTo);
    expect(answer.headers.get('location')).toBe(page);
  });

  it('escape texts', async () => {
    const browser = await browserOf(owner);
    const [stage] = stages as [Stage, ...Stage[]];
    for (const [page] of pagesOf(stage).slice(0, 6)) {
      const { text } = await browser.get(page);
      expect(text).not.toMatch(/<(?:img|script|b)\b/);
      expect(text).not.toContain(SCRIPT);
    }
    const { text } = await browser.get(pagesOf(stage)[1][0]);
    for (const words of ['Issue', 'Text', 'Note']) {
      expect(text).toContain(`${words} &lt;script>alert(1)&lt;/script>`);
    }
    expect(text).toContain('<article class="card" id="note_');
    const created = `${stage.project.fullPath}/merge_requests/new`;
    const branch = `merge_request%5Bsource_branch%5D=${encodeURIComponent(`a'b"<script>alert(1)</script>`)}`;
    const shown = (await browser.get(`/${created}?${branch}`)).text;
    expect(shown).not.toMatch(/<(?:img|script)\b/);
    expect(shown).toContain(`--data-urlencode 'source_branch=a'\\''b&quot;&lt;script>`);
  });

  it('remove control characters from commands to be pasted', async () => {
    const browser = await browserOf(owner);
    const [stage] = stages as [Stage, ...Stage[]];
    const branch = encodeURIComponent('a\u0003\nid\n');
    const address = `/${stage.project.fullPath}/merge_requests/new?merge_request%5Bsource_branch%5D=`;
    const { status, text } = await browser.get(address + branch);
    expect([status, text.includes('\u0003')]).toEqual([200, false]);
    expect(text).toContain(`'source_branch=BRANCH'`);
  });

  it('show the beginning of a long list of parents', async () => {
    const tree = await work.git('rev-parse', `${head}^{tree}`);
    const commit = [
      `tree ${tree}`,
      ...Array.from({ length: 2_000 }, () => `parent ${head}`),
      ...['author', 'committer'].map((role) => `${role} A <a@example.com> 1500000000 +0000`),
      '\nMany parents\n',
    ].join('\n');
    const args = ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'];
    const oid = await git(args, { cwd: work.folder, input: commit });
    const { project } = stages[0] as Stage;
    const remote = remoteOf(trellis, project, owner);
    await work.git('push', '--quiet', remote, `${oid}:refs/heads/many-parents`);
    const { text } = await (await browserOf(owner)).get(`/${project.fullPath}/commit/${oid}`);
    expect(text.match(new RegExp(`/commit/${head}"`, 'g'))).toHaveLength(100);
    expect(text).toContain('and 1900 more');
  });

  it('may neither run scripts nor be framed, and are not cached', async () => {
    const { headers } = await anonymous().get('/');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; " +
        "form-action 'self'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'private, no-store',
      'content-type': 'text/html; charset=utf-8',
    });
  });

  it('have a stylesheet that browsers cache', async () => {
    const { text } = await anonymous().get('/');
    const address = /href="(\/-\/assets\/[^"]+)"/.exec(text)?.[1] ?? '';
    const sheet = await fetch(trellis.url + address);
    expect(sheet.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(sheet.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const older = await fetch(`${trellis.url}/-/assets/older/pages.css`);
    expect(older.headers.get('cache-control')).toBe('no-store');
  });

  it('are for browsers; other clients get the former responses', async () => {
    const [hidden] = stages as [Stage, ...Stage[]];
    const before = { status: 404, type: 'application/json', text: '{"error":"404 Not Found"}' };
    for (const [page] of pagesOf(hidden).slice(0, 6)) {
      expect(await curl(page)).toEqual(before);
      expect(await curl(page, owner.token)).toEqual(before);
    }
    const browser = anonymous();
    const refs = `/${hidden.project.fullPath}.git/info/refs?service=git-upload-pack`;
    expect((await browser.get(refs)).text).toBe('HTTP Basic: Access denied');
    expect(JSON.parse((await browser.get('/healthz')).text)).toEqual({ status: 'ok' });
    for (const call of ['/api/v3/user', '/api/v3/issues/1', '/api/v3', '/api/v3/no/route']) {
      const { status, headers } = await browser.get(call);
      expect([call, status < 500, headers.get('content-type')]).toEqual([
        ...[call, true, 'application/json'],
      ]);
    }
  });

  it('show the merge status of an open merge request', async () => {
    const [stage] = stages as [Stage, ...Stage[]];
    const browser = await browserOf(owner);
    const { iid, id } = stage.mergeRequest;
    const page = `/${stage.project.fullPath}/merge_requests/${iid}`;
    const call = `/projects/${stage.project.id}/merge_requests/${id}`;
    expect((await browser.get(page)).text).toContain('<dt>Mergeable</dt>');
    await trellis.as(owner).put(call, { state_event: 'close' }).expect(200);
    expect((await browser.get(page)).text).not.toContain('<dt>Mergeable</dt>');
    await trellis.as(owner).put(call, { state_event: 'reopen' }).expect(200);
  });

  it('answer other clients at / with a short text that names the API and the documents', async () => {
    const { status, type, text } = await curl('/');
    expect([status, type]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text.length).toBeLessThan(500);
    const addresses = text.match(/http\S+(?=\n)/g) ?? [];
    const paths = addresses.map((address) => new URL(address).pathname);
    const expected = ['/api/v3/openapi.json', '/help/reference', '/api/v3/docs', '/help'];
    expect(paths).toEqual(expected);
    expect((await curl('/', owner.token)).text).toBe(text);
    for (const path of paths) expect((await anonymous().get(path)).status).toBe(200);
  });

  it('show errors to browsers, with the account', async () => {
    const browser = await browserOf(owner);
    for (const [page, status] of [
      ['/no-such/project', 404],
      ['/no/such/page/at/all', 404],
      ['/-/no-such-page', 404],
      ['/metrics', 401],
      ['/%ff', 400],
    ] as const) {
      const answer = await browser.get(page);
      expect([page, answer.status]).toEqual([page, status]);
      expect(answer.text).toContain(`<p class="path">${status}</p>`);
      expect(answer.text).toContain('Sign out');
    }
    const plain = { 'Content-Type': 'text/plain' };
    expect((await browser.post('/-/sign_out', { a: 'b' }, plain)).status).toBe(415);
  });

  it('lead from a group to its page, and show the version of the service', async () => {
    const browser = await browserOf(owner);
    const { status, headers } = await browser.get(`/${group.path}`);
    expect([status, headers.get('location')]).toEqual([303, `/groups/${group.path}`]);
    expect((await browser.get('/')).text).toMatch(/Version \d+\.\d+\.\d+/);
    expect((await anonymous().get('/')).text).not.toContain('Version');
  });

  it('are found case-insensitively', async () => {
    const [stage] = stages as [Stage, ...Stage[]];
    const browser = await browserOf(owner);
    expect((await browser.get(`/${stage.project.fullPath.toUpperCase()}`)).status).toBe(200);
  });

  describe('as texts', () => {
    const address = ({ project }: Stage, form: string) =>
      `/${project.fullPath}/commit/${topic}.${form}`;

    it('require the same rights, by a private token or the session of a browser', async () => {
      const [hidden] = stages as [Stage, ...Stage[]];
      const stranger = cast.people.stranger as Person;
      const at = address(hidden, 'diff');
      expect((await curl(at)).status).toBe(401);
      expect((await curl(at, 'wrong')).status).toBe(401);
      expect((await curl(at, stranger.token)).status).toBe(404);
      const found = await curl(at, owner.token);
      expect(found).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8' });
      expect(await curl(`${at}?private_token=${owner.token}`)).toEqual(found);
      const { text, headers } = await (await browserOf(owner)).get(at);
      expect(text).toBe(found.text);
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    });

    it('share the slots for downloads between users, independent of their addresses', async () => {
      const [hidden] = stages as [Stage, ...Stage[]];
      const slots = trellis.app.get(DownloadSlots);
      const userId = owner.user.id;
      const held = [1, 2, 3, 4].map((last) => slots.take({ address: `192.0.2.${last}`, userId }));
      const browser = await browserOf(owner);
      const acquire = jest.spyOn(slots, 'acquire');
      let isOver = false;
      const waiting = Promise.all([
        curl(address(hidden, 'diff'), owner.token),
        browser.get(address(hidden, 'patch')),
      ]).finally(() => (isOver = true));
      await until(async () => acquire.mock.calls.length === 2);
      // A refusal takes no slot.
      expect((await curl(address(hidden, 'diff'))).status).toBe(401);
      expect(acquire).toHaveBeenCalledTimes(2);
      expect(isOver).toBe(false);
      acquire.mockRestore();
      for (const release of held) release();
      expect((await waiting).map(({ status }) => status)).toEqual([200, 200]);
    });

    it('equal the output of git for the commit', async () => {
      const [stage] = stages as [Stage, ...Stage[]];
      const git = async (...args: string[]) => `${await work.git(...args)}\n`;
      const mailArgs = ['format-patch', '--stdout', '--no-signature', '--full-index'];
      const diff = (await curl(address(stage, 'diff'), owner.token)).text;
      expect(diff).toBe(await git('diff', '--binary', '--full-index', `${head}..${topic}`));
      const patch = (await curl(address(stage, 'patch'), owner.token)).text;
      const mails = await git(...mailArgs, '-1', topic);
      expect(patch).toBe(mails);
      const { iid } = stage.mergeRequest;
      const page = `/${stage.project.fullPath}/merge_requests/${iid}`;
      expect((await curl(`${page}.diff`, owner.token)).text).toBe(diff);
      expect((await curl(`${page}.patch`, owner.token)).text).toBe(mails);
      const root = await curl(`/${stage.project.fullPath}/commit/${head}.patch`, owner.token);
      expect(root.text).toBe(await git(...mailArgs, '--root', head));
    });

    it('can be applied', async () => {
      const [stage] = stages as [Stage, ...Stage[]];
      const { text } = await curl(address(stage, 'patch'), owner.token);
      const folder = await mkdtemp(path.join(tmpdir(), 'trellis-patch-'));
      try {
        await writeFile(path.join(folder, 'mail'), text);
        const git = (...args: string[]) =>
          run('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
            cwd: folder,
          });
        await git('clone', '--quiet', work.folder, 'copy');
        await git('-C', 'copy', 'reset', '--quiet', '--hard', head);
        await git('-C', 'copy', 'am', '--quiet', path.join(folder, 'mail'));
        const { stdout } = await git('-C', 'copy', 'rev-parse', 'HEAD^{tree}');
        expect(stdout).toBe(`${await work.git('rev-parse', `${topic}^{tree}`)}\n`);
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it('end with the error of the API', async () => {
      const [stage] = stages as [Stage, ...Stage[]];
      for (const rest of ['commit/none.diff', 'merge_requests/999.patch', 'commit/HEAD~999.diff']) {
        const answer = await curl(`/${stage.project.fullPath}/${rest}`, owner.token);
        expect([rest, answer.status, answer.type]).toEqual([rest, 404, 'application/json']);
      }
    });
  });
});
