import { BrowserSession } from '../../support/browser-session.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const SCRIPT = '<script>alert(1)</script>';
const ASSET = 'https://files.example.com/tool?os=linux';

describe('pages of releases', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let page: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    made = await projects.make();
    page = `/${made.project.fullPath}/-/releases`;
    const links = [
      { name: `Tool ${SCRIPT}`, url: ASSET, direct_asset_path: '/bin/tool' },
      { name: 'Manual', url: 'https://files.example.com/manual' },
    ];
    await trellis
      .as(owner)
      .v4.post(`/projects/${String(made.project.id)}/releases`, {
        ...{ tag_name: 'a/1', ref: 'master', name: `One ${SCRIPT}`, description: `Text ${SCRIPT}` },
        assets: { links },
      })
      .expect(201);
  });
  afterAll(() => projects.remove());

  const browserOf = async (person: Person | null) => {
    const browser = new BrowserSession(trellis);
    if (person !== null) await browser.signInByToken(person.token);
    return browser;
  };
  const curl = (path: string, token?: string) =>
    fetch(trellis.url + path, {
      headers: token === undefined ? {} : { 'Private-Token': token },
      redirect: 'manual',
    });

  it('list and show releases to who reads the code, with texts escaped', async () => {
    const browser = await browserOf(owner);
    const list = await browser.get(page);
    expect(list.status).toBe(200);
    expect(list.text).toContain(`href="${page}/a%2F1"`);
    const one = await browser.get(`${page}/a%2F1`);
    expect(one.status).toBe(200);
    expect(one.text).toContain(`href="${page}/a%2F1/downloads/bin/tool"`);
    expect(one.text).toContain('href="https://files.example.com/manual"');
    expect(one.text).toContain(made.head.slice(0, 8));
    for (const { text } of [list, one]) expect(text).not.toContain('<script');
    expect((await browser.get(`${page}/none`)).status).toBe(404);
  });

  it('are refused as the API refuses', async () => {
    const guest = await browserOf(await memberOf(trellis, made.project, 10));
    const list = await guest.get(page);
    expect(list.status).toBe(200);
    expect(list.text).not.toContain('a%2F1');
    const api = `/projects/${String(made.project.id)}/releases`;
    await trellis.as(owner).v4.post(api, { tag_name: 'secret-1', ref: 'master' }).expect(201);
    const unnamed = await guest.get(page);
    expect(unnamed.text).toMatch(/Release-\d+/);
    expect(unnamed.text).not.toContain('secret-1');
    await trellis.as(owner).v4.delete(`${api}/secret-1`).expect(200);
    expect((await guest.get(`${page}/a%2F1`)).status).toBe(403);
    const stranger = await browserOf(await trellis.factories.user());
    const anonymous = await browserOf(null);
    for (const browser of [stranger, anonymous]) {
      for (const path of [page, `${page}/a%2F1`, `${page}/permalink/latest`]) {
        expect((await browser.get(path)).status).toBe(404);
      }
    }
  });

  it('lead all clients to assets and to the latest release', async () => {
    const asset = await curl(`${page}/a%2F1/downloads/bin/tool`, owner.token);
    expect([asset.status, asset.headers.get('location')]).toEqual([302, ASSET]);
    const latest = await curl(
      `${page}/permalink/latest/downloads/bin/tool?a=1&b=c%20d`,
      owner.token,
    );
    expect([latest.status, latest.headers.get('location')]).toEqual([
      303,
      `${page}/a%2F1/downloads/bin/tool?a=1&b=c%20d`,
    ]);
    const outside = await curl(`${page}/permalink/latest/..%2f..`, owner.token);
    expect(outside.status).toBe(404);
    expect((await curl(`${page}/a%2F1/downloads/bin/none`, owner.token)).status).toBe(404);
    expect((await curl(`${page}/a%2F1/downloads/bin/tool`)).status).toBe(404);
    expect((await curl(`${page}/a%2F1/downloads/bin/tool`, 'wrong')).status).toBe(401);
    expect((await curl(page, owner.token)).status).toBe(404);
  });
});
