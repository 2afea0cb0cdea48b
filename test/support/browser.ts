import { type Browser, chromium, type Page } from 'playwright-core';

/** Debian's Chromium, and what pages have complained about. */
export class TestBrowser {
  /** Errors of scripts, messages of level error on the console, and violations of the content security policy. */
  readonly complaints: string[] = [];

  private constructor(private readonly browser: Browser) {}

  static async launch(): Promise<TestBrowser> {
    // Its sandbox needs privileges that containers withhold; it opens pages of the test's own service only.
    const args = ['--no-sandbox'];
    return new TestBrowser(await chromium.launch({ executablePath: '/usr/bin/chromium', args }));
  }

  /** Opens a page without cookies. */
  async open(url: string, width = 1280): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => this.complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    await page.goto(url);
    return page;
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
