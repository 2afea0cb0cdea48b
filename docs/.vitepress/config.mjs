// `npm run docs` makes a site of the Markdown in docs/. The pages stay readable in the repository: what only the site needs
// (addresses of links, order of pages) is made here.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../../dist/src/modules/web/pages/help/anchors.js';
import { checkSite } from './check-site.mjs';
import { RepositoryFiles } from './repository-files.mjs';

const DOCS = fileURLToPath(new URL('..', import.meta.url));
const ROOT = path.dirname(path.resolve(DOCS));
const files = new RepositoryFiles(ROOT);

const read = (name) => readFileSync(path.join(DOCS, name), 'utf8');
const titleOf = (name) => /^# (.+)$/m.exec(read(name))?.[1] ?? name;
const addressOf = (name) => `/${name.replace(/README\.md$/, '').replace(/\.md$/, '')}`;
const item = (name, text = titleOf(name)) => ({ text, link: addressOf(name) });

/** The pages of a folder in the order in which its README links to them. */
function listedIn(folder) {
  const linked = read(`${folder}/README.md`).matchAll(/\]\(([\w-]+\.md)\)/g);
  const names = new Set([...linked].map(([, name]) => name));
  const missing = readdirSync(path.join(DOCS, folder)).filter(
    (name) => name.endsWith('.md') && name !== 'README.md' && !names.has(name),
  );
  if (missing.length > 0)
    throw new Error(`${folder}/README.md does not list ${missing.join(', ')}`);
  return [...names].map((name) => item(`${folder}/${name}`));
}

const SIDEBAR = [
  {
    text: 'Begin',
    items: [
      item('README.md', 'Overview'),
      item('install.md'),
      item('tour.md'),
      item('configuration.md'),
    ],
  },
  {
    text: 'Use',
    items: [
      item('receiving-hooks.md'),
      item('clients.md'),
      item('permissions.md'),
      { ...item('reference/README.md'), collapsed: true, items: listedIn('reference') },
    ],
  },
  {
    text: 'Operate',
    items: [
      'operations.md',
      'upgrades.md',
      'backup.md',
      'scaling.md',
      'moving.md',
      'troubleshooting.md',
      'security.md',
    ].map((name) => item(name)),
  },
  {
    text: 'Understand',
    items: [
      item('design.md'),
      item('glossary.md'),
      item('lock-order.md'),
      { ...item('decisions/README.md'), collapsed: true, items: listedIn('decisions') },
    ],
  },
];

/** Every page has a place: one that only a link leads to is found by few. */
function requirePlaces() {
  const places = new Set(SIDEBAR.flatMap(({ items }) => items.map(({ link }) => link)));
  const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md'));
  const missing = pages.filter((name) => !places.has(addressOf(name)));
  if (missing.length > 0) throw new Error(`The sidebar does not have ${missing.join(', ')}`);
}
requirePlaces();

/** Gives links of pages the addresses that their targets have on the site. */
function siteLinks(markdown) {
  const { normalizeLink } = markdown;
  markdown.core.ruler.push('site-links', ({ tokens, env }) => {
    const page = path.posix.join('docs', path.relative(DOCS, env.realPath ?? env.path));
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        if (token.type !== 'link_open') continue;
        const href = token.attrGet('href') ?? '';
        const [target, anchor] = href.split('#');
        if (target === '' || /^[a-z]+:/.test(target)) continue;
        const file = path.posix.join(path.posix.dirname(page), target);
        if (file.startsWith('docs/') && file.endsWith('.md')) {
          const address = addressOf(file.slice('docs/'.length));
          token.attrSet('href', normalizeLink(anchor ? `${address}#${anchor}` : address));
        } else {
          token.attrSet('href', files.addressOf(page, target));
          token.attrSet('target', '_blank');
        }
      }
    }
  });
}

export default defineConfig({
  title: 'Trellis',
  description: 'A self-hosted server for Git repositories, issues, merge requests and hooks',
  lang: 'en',
  srcDir: '.',
  outDir: '../site',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  markdown: {
    anchor: { slugify: anchorOf },
    toc: { slugify: anchorOf },
    config: siteLinks,
  },
  themeConfig: {
    sidebar: SIDEBAR,
    outline: [2, 3],
    search: { provider: 'local' },
  },
  buildEnd({ outDir, site: { base } }) {
    files.copyTo(outDir);
    checkSite(outDir, base);
  },
});
