import axe from 'axe-core';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';

/** Where screenshots go when `TEST_SCREENSHOTS` is set. */
const FOLDER = path.resolve('reports', 'screenshots');

const WIDTHS = [360, 1280];
const SCHEMES = ['light', 'dark'] as const;
const SERIOUS = new Set(['serious', 'critical']);

/**
 * What is wrong with a page for people: serious findings of axe-core, and content that is wider than the page, at the
 * width of a telephone and of a desk, in light and dark. With `TEST_SCREENSHOTS` it leaves pictures.
 * @param name of the pictures
 */
export async function findFlaws(page: Page, name: string): Promise<string[]> {
  const flaws: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const where = `${name}-${String(width)}-${colorScheme}`;
      flaws.push(...(await findInaccessible(page)).map((flaw) => `${where}: ${flaw}`));
      await takePicture(page, where);
    }
    const wide = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    if (Number(wide) > 0) flaws.push(`${name}: ${String(wide)} px too wide at ${String(width)} px`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return flaws;
}

/** By way of the browser's debugger: the policy of the page refuses scripts. */
async function findInaccessible(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  // The policy refuses to load stylesheets a second time, too.
  const run = 'axe.run(document, { preload: false, resultTypes: ["violations"] })';
  const { violations } = (await page.evaluate(run)) as axe.AxeResults;
  return violations
    .filter(({ impact }) => SERIOUS.has(impact ?? ''))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env['TEST_SCREENSHOTS'] === undefined) return;
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`), fullPage: true });
}
