import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import axe from 'axe-core';
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

interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  /** Of axe: all without it. */
  readonly rules?: readonly string[];
}

/** Every rule sees both widths and both schemes; the contrast of colours depends on the scheme alone. */
const LOOKS: readonly Look[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'dark', rules: ['color-contrast'] },
  { width: 360, colorScheme: 'light', rules: ['color-contrast', 'scrollable-region-focusable'] },
];

/**
 * Looks at a page at 360 and 1280 pixels, in light and dark. `TEST_SCREENSHOTS` names a folder for pictures of it.
 * @param name of the pictures
 * @returns what axe finds that is serious, and what is wider than the page
 */
export async function inspect(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const { width, colorScheme, rules } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const look = `${name}-${String(width)}-${colorScheme}`;
    await takePicture(page, look);
    // Evaluated by the debugger, which the content security policy does not concern, unlike a script element.
    await page.evaluate(axe.source);
    const violations = await page.evaluate(runAxe, rules === undefined ? null : [...rules]);
    const isWide = await page.evaluate(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth',
    );
    found.push(...violations.map((violation) => `${look}: ${violation}`));
    if (isWide === true) found.push(`${look}: wider than the page`);
  }
  return found;
}

async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['TEST_SCREENSHOTS'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}

/** Runs in the browser. */
async function runAxe(rules: string[] | null): Promise<string[]> {
  const { axe: checker, document: page } = globalThis as unknown as {
    axe: typeof axe;
    document: axe.ElementContext;
  };
  const options: axe.RunOptions =
    rules === null ? {} : { runOnly: { type: 'rule', values: rules } };
  const { violations } = await checker.run(page, options);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
