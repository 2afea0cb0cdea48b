/**
 * @needs chromium
 * @operation
 */
import { TestBrowser } from '../../support/browser.js';
import { takeScreenshot } from '../../support/screenshots.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('the API explorer', () => {
  let trellis: Trellis;
  let browser: TestBrowser;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    browser = await TestBrowser.launch();
  });

  afterAll(() => browser.close());

  it('sends a call with the entered token, and shows the response', async () => {
    const person = await trellis.factories.user({ name: 'Mia' });
    const { user, token } = person;
    const page = await browser.open(`${trellis.url}/api/v3/docs`);
    await page.getByRole('button', { name: 'Authorize' }).click();
    const dialog = page.locator('.dialog-ux');
    await dialog.locator('input').first().fill(token);
    await dialog.getByRole('button', { name: 'Apply credentials' }).first().click();
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await page.locator('#operations-tag-Users').click();
    const operation = page.locator('[id^="operations-Users-Users"][id$=".readOwn"]');
    await operation.locator('.opblock-summary').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table');
    await answer.waitFor();
    expect(await answer.locator('.response .response-col_status').innerText()).toContain('200');
    expect(await answer.innerText()).toContain(`"id": ${user.id},`);
    expect(browser.complaints).toEqual([]);

    const project = await trellis.factories.project(person);
    await page.locator('#operations-tag-Issues').click();
    const creation = page.locator('[id^="operations-Issues-"][id$=".create"]');
    await creation.locator('.opblock-summary').click();
    await creation.locator('tr[data-param-name="id"] input').fill(String(project.id));
    const body = JSON.stringify({ title: 'Made in the explorer' });
    await creation.locator('textarea.body-param__text').fill(body);
    await creation.getByRole('button', { name: 'Execute' }).click();
    await creation.locator('.live-responses-table').waitFor();
    const issues = await trellis.as(person).get(`/projects/${project.id}/issues`).expect(200);
    expect(issues.body).toMatchObject([{ title: 'Made in the explorer', author: { id: user.id } }]);
    expect(browser.complaints).toEqual([]);

    await page.evaluate('document.querySelector("#operations-tag-Users").scrollIntoView()');
    await takeScreenshot(page, 'explorer');
  });

  it('lists operations by the pages of the reference, in their order, and filters them in any case', async () => {
    const page = await browser.open(`${trellis.url}/api/v3/docs`);
    await page.locator('.opblock-tag').first().waitFor();
    const shown = () =>
      page.evaluate<string[]>(
        '[...document.querySelectorAll(".opblock-tag")].map((tag) => tag.dataset.tag)',
      );
    const all = await shown();
    expect(all.slice(0, 4)).toEqual([
      'Sessions',
      'Users',
      'Groups and namespaces',
      'Members and shares',
    ]);
    const filter = page.locator('.operation-filter-input');
    const outside = page.locator('#operations-tag-Sessions');
    for (const [text, tag] of [
      ['lABELs', 'Labels'],
      ['CHERRY', 'Commits'],
    ] as const) {
      await filter.fill(text);
      await outside.waitFor({ state: 'detached' });
      expect(await shown()).toEqual([tag]);
      await filter.fill('');
      await outside.waitFor();
    }
  });

  it('fits into 360 pixels, with an operation opened, and follows a dark color scheme', async () => {
    const page = await browser.open(`${trellis.url}/api/v3/docs`, 360);
    const background = () =>
      page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html.dark-mode').waitFor();
    expect(await background()).not.toBe(light);
    // Its paths are the longest ones.
    await page.locator('[data-tag="Award emoji"]').click();
    await page.locator('#operations-tag-Issues').click();
    const creation = page.locator('[id^="operations-Issues-"][id$=".create"]');
    await creation.locator('.opblock-summary').click();
    await creation.getByRole('button', { name: 'Execute' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  it('restricts its pages to this service', async () => {
    const response = await fetch(`${trellis.url}/api/v3/docs`);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  it('serves the files of Swagger UI that it needs, and no others', async () => {
    const get = async (file: string) => {
      const response = await fetch(`${trellis.url}/api/v3/docs/${file}`);
      return [response.status, response.headers.get('content-type')];
    };
    expect(await get('swagger-ui.css')).toEqual([200, 'text/css; charset=utf-8']);
    expect(await get('swagger-ui-bundle.js')).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(await get('page.css')).toEqual([200, 'text/css; charset=utf-8']);
    expect(await get('start.js')).toEqual([200, 'text/javascript; charset=utf-8']);
    for (const file of ['LICENSE', '..%2f..%2fpackage.json', '%2e%2e', 'index.html']) {
      expect((await get(file))[0]).toBe(404);
    }
  });
});
