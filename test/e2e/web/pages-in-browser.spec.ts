/**
 * @needs chromium
 * @operation
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { inspect, TestBrowser } from '../../support/browser.js';
import { Checkout } from '../../support/checkout.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { takeScreenshot } from '../../support/screenshots.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const SOURCE = `import { createServer } from 'node:http';

const LINE = '${'long '.repeat(60)}';

createServer((request, response) => response.end(LINE)).listen(8080);
`;

describe('pages in a browser', () => {
  let trellis: Trellis;
  let browser: TestBrowser;
  let owner: Person;
  let project: MadeProject;
  let work: Checkout;
  let page: Page;
  let addresses: Record<'issue' | 'mergeRequest' | 'milestone' | 'commit' | 'group', string>;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ name: 'Ada Lovelace', bio: 'Analyst' });
    const group = await trellis.factories.group(owner, { description: 'Everything of the crew' });
    project = await trellis.factories.project(owner, { name: 'Tour', namespaceId: group.id });
    work = await Checkout.create(trellis, project, owner);
    await work.commit('First commit');
    await work.push('HEAD:refs/heads/master');
    await writeFile(path.join(work.folder, 'server.js'), SOURCE);
    const commit = await work.commit('Serve a long line\n\nFew people read it.');
    await work.push('HEAD:refs/heads/long-line');
    addresses = { ...(await fill()), commit: `commit/${commit}`, group: `/groups/${group.path}` };
    browser = await TestBrowser.launch();
    page = await browser.open(`${trellis.url}/`);
  });
  afterAll(async () => {
    await browser.close();
    await work.remove();
  });

  async function fill() {
    const at = `/projects/${String(project.id)}`;
    const post = async (rest: string, body: object) =>
      (
        await trellis
          .as(owner)
          .post(at + rest, body)
          .expect(200)
      ).body as {
        id: number;
        iid: number;
      };
    const milestone = await post('/milestones', { title: 'Spring', due_date: '2030-03-01' });
    const issue = await post('/issues', {
      title: 'The line is too short',
      description: 'Steps:\n\n1. Start the server.\n2. Read the line.',
      labels: 'bug,good first issue',
      milestone_id: milestone.id,
      confidential: true,
      assignee_id: owner.user.id,
    });
    const notes = `/issues/${String(issue.id)}/notes`;
    await post(notes, { body: 'It is.\n\nI made it longer.' });
    await trellis
      .as(owner)
      .put(`${at}/issues/${String(issue.id)}`, { labels: 'bug' })
      .expect(200);
    const mergeRequest = await post('/merge_requests', {
      ...{ source_branch: 'long-line', target_branch: 'master', title: 'Serve a long line' },
      description: `Closes #${String(issue.iid)}`,
    });
    return {
      issue: `issues/${String(issue.iid)}`,
      mergeRequest: `merge_requests/${String(mergeRequest.iid)}`,
      milestone: `milestones/${String(milestone.iid)}`,
    };
  }

  const heading = (): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();

  it('can be used from the start page through sign-in with the keyboard only', async () => {
    expect(await heading()).toBe('Trellis');
    expect(await inspect(page, 'start')).toEqual([]);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.getByRole('link', { name: 'Sign in' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('User name or e-mail').waitFor();
    expect(await inspect(page, 'sign-in')).toEqual([]);
    await page.getByLabel('User name or e-mail').focus();
    await page.keyboard.type(owner.user.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(owner.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await inspect(page, 'start-signed-in')).toEqual([]);
    expect(browser.complaints).toEqual([]);
  });

  const pages: [name: string, address: () => string, title: string][] = [
    ['project', () => '', 'Tour'],
    ['issue', () => addresses.issue, 'The line is too short'],
    ['merge-request', () => addresses.mergeRequest, 'Serve a long line'],
    ['commit', () => addresses.commit, 'Serve a long line'],
    ['milestone', () => addresses.milestone, 'Spring'],
    ['group', () => addresses.group, 'group-'],
    ['user', () => `/${owner.user.username}`, 'Ada Lovelace'],
    ['missing', () => '/no-such/project', 'Not Found'],
    ['help', () => '/help', 'Trellis'],
    ['help-document', () => '/help/operations', 'Operations'],
    ['help-search', () => '/help/search?q=hooks+issue', 'Search'],
  ];

  it.each(pages)('show: %s', async (name, address, title) => {
    const at = address();
    await page.goto(trellis.url + (at.startsWith('/') ? at : `/${project.fullPath}/${at}`));
    expect(await heading()).toMatch(title);
    expect(await inspect(page, name)).toEqual([]);
    if (name === 'merge-request') await takeScreenshot(page, name);
  });

  it('fail the inspection when they have faults', async () => {
    await page.goto('about:blank');
    await page.setContent('<p style="color: #ccc; width: 2000px">Hardly to be read</p>');
    const found = await inspect(page, 'faulty');
    expect(found.join('\n')).toContain('color-contrast: <p style');
    expect(found).toContain('faulty-360-dark: wider than the page');
  });

  it('let forms and links of the pages through, and sign out', async () => {
    await page.goto(`${trellis.url}/${project.fullPath}`);
    await page.getByRole('link', { name: 'The line is too short' }).click();
    await page.getByRole('link', { name: 'Spring' }).click();
    expect(await heading()).toBe('Spring');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    await page.goto(`${trellis.url}/${project.fullPath}`);
    expect(await heading()).toBe('Sign in');
    expect(await inspect(page, 'hidden')).toEqual([]);
    // Chromium says on the console that a document has the status 404.
    const violations = browser.complaints.filter((text) => !text.includes('status of 404'));
    expect(violations).toEqual([]);
  });
});
