import path from 'node:path';
import type { Page } from 'playwright-core';

/**
 * Keeps a picture of what a page shows, for README and the documents, as `<name>.png` in the folder that SCREENSHOTS names;
 * without it, does nothing. `npm run screenshots` makes all of them, so that they show the pages as they are.
 */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder === undefined) return;
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.screenshot({ path: path.resolve(folder, `${name}.png`), animations: 'disabled' });
}
