import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { PERMISSIONS } from '../../src/modules/authorization/index.js';
import { anchorOf } from '../../src/modules/web/pages/help/anchors.js';
import { VARIABLES } from '../../src/platform/config/schema.js';

interface Document {
  /** Relative to the folder of package.json. */
  readonly name: string;
  readonly text: string;
  /** Without fenced blocks. */
  readonly prose: string;
}

/** Names in capitals that are no configuration of the service. */
const OTHER_NAMES = new Set([
  // Of the shell commands in the documents.
  ...['API', 'API_V4', 'COPY', 'HOOK_TOKEN', 'PASSWORD', 'PATH', 'POSTGRES_PASSWORD', 'TOKEN'],
  ...['HOOK', 'ISSUE', 'MIA', 'RECEIVER', 'SERVICE'],
  // Of SQL, HTTP and the system.
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
  ...['SUDO', 'LISTEN', 'NOTIFY', 'SIGTERM', 'SIGINT'],
  // Of the code.
  ...['COLUMNS', 'FOLDERS', 'PERMISSIONS', 'ROOMS', 'SHARED', 'UNUSED_COLUMNS', 'VERSIONS'],
  ...['INSERT', 'INSERT_IMPORTED', 'UPDATE'],
  // Of files.
  'SHA256SUMS',
  // Of the build.
  'TRELLIS_COMMIT',
  // Of the tests.
  ...['TEST_LENGTH', 'TEST_SCREENSHOTS', 'TEST_SEED'],
  // Node's.
  ...['NODE_DISABLE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'UV_THREADPOOL_SIZE'],
]);

/** Texts of git and ssh that the page on troubleshooting explains. */
const OF_OTHERS = new Set([
  'pack exceeds maximum allowed size',
  'shallow update not allowed',
  'Permission denied (publickey)',
  'RPC failed; HTTP 413',
  'the remote end hung up unexpectedly',
  'REMOTE HOST IDENTIFICATION HAS CHANGED',
]);

/** Folders of the repository that the documents speak of by path. */
const OWN_PATH = /^(?:src|test|scripts|docker|docs|bench)\/(?!\.env$)[\w./-]+$/;
const CAPITALS = /^[A-Z][A-Z0-9_]{2,}$/;

function load(name: string): Document {
  const text = readFileSync(path.join(process.cwd(), name), 'utf8');
  return { name, text, prose: text.replace(/^```[^\n]*\n[\s\S]*?^```$/gm, '') };
}

function documents(): Document[] {
  const top = readdirSync(process.cwd()).filter((name) => name.endsWith('.md'));
  const below = readdirSync(path.join(process.cwd(), 'docs'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'));
  return [...top, ...below.map((name) => path.join('docs', name))].map(load);
}

const spans = ({ prose }: Document): string[] =>
  [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replace(/\s+/g, ' '));

/** What stands between the fences of shell and unnamed blocks. */
const blocks = ({ text }: Document): string =>
  [...text.matchAll(/^```(?:sh)?\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join('\n');

const links = ({ prose }: Document): string[] =>
  [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);

/** The anchors that a page offers, as code hosts make them of its headings. */
const anchorsOf = ({ prose }: Document): Set<string> =>
  new Set([...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));

/** The variables of the service, and those that name a file with a secret. */
const VARIABLE_NAMES = new Set(
  Object.entries(VARIABLES).flatMap(([name, variable]) =>
    'secret' in variable ? [name, `${name}_FILE`] : [name],
  ),
);

const all = documents();

describe.each(all.map((document) => [document.name, document] as const))('%s', (name, document) => {
  const folder = path.dirname(name);

  it('has valid links', () => {
    const broken = links(document)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const page = path.normalize(path.join(folder, file === '' ? path.basename(name) : file));
        if (!existsSync(path.join(process.cwd(), page))) return true;
        return anchor !== undefined && !anchorsOf(load(page)).has(anchor);
      });
    expect(broken).toEqual([]);
  });

  it('names commands of package.json', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = [...document.text.matchAll(/npm run ([\w:-]+)|npm (start|test)\b/g)].map(
      ([, script, short]) => script ?? short ?? '',
    );
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

  it('names variables of the service', () => {
    const inProse = spans(document).map((code) => code.split('=')[0] ?? '');
    const assigned = [...blocks(document).matchAll(/(?:^|\s)([A-Z][A-Z0-9_]+)=/g)].map(
      ([, variable = '']) => variable,
    );
    const unknown = [...inProse.filter((code) => CAPITALS.test(code)), ...assigned].filter(
      (variable) => !VARIABLE_NAMES.has(variable) && !OTHER_NAMES.has(variable),
    );
    expect(unknown).toEqual([]);
  });

  it('names existing files', () => {
    const paths = spans(document).filter((code) => OWN_PATH.test(code));
    expect(paths.filter((file) => !existsSync(path.join(process.cwd(), file)))).toEqual([]);
  });
});

describe('the documents', () => {
  it('exist, and are not empty', () => {
    const names = all.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'docs/design.md']),
    );
    expect(all.flatMap(links).length).toBeGreaterThan(30);
    expect(all.flatMap(spans).filter((code) => code in VARIABLES).length).toBeGreaterThan(20);
    expect(all.flatMap(spans).filter((code) => OWN_PATH.test(code)).length).toBeGreaterThan(20);
  });

  it('show the current permission table', async () => {
    const check = ['scripts/permissions.mjs', '--check'];
    const { stdout } = await promisify(execFile)(process.execPath, check);
    expect(stdout).toBe('');
    const abilities = load('docs/permissions.md').text.matchAll(/^- `([\w:-]+)`:/gm);
    expect([...abilities].map(([, ability]) => ability)).toEqual(Object.keys(PERMISSIONS));
  }, 120_000);

  it('show the current table of resources', async () => {
    const check = ['scripts/resources.mjs', '--check'];
    const { stdout } = await promisify(execFile)(process.execPath, check);
    expect(stdout).toBe('');
  }, 120_000);

  it('show the current architecture', async () => {
    const check = ['scripts/architecture.mjs', '--check'];
    const { stdout } = await promisify(execFile)(process.execPath, check);
    expect(stdout).toBe('');
  });

  it('define each term once, in alphabetical order', () => {
    const rows = load('docs/glossary.md').text.matchAll(/^\| `?([^|`]+?)`? +\|/gm);
    const terms = [...rows].map(([, term = '']) => term.toLowerCase()).slice(1);
    expect(terms.length).toBeGreaterThan(50);
    expect(terms).toEqual([...new Set(terms)].sort((a, b) => (a < b ? -1 : 1)));
  });

  it('list the variables of the service', () => {
    const [, table = ''] = /<!-- variables -->([\s\S]*)<!-- \/variables -->/.exec(
      load('docs/configuration.md').text,
    ) ?? [''];
    const rows = [...table.matchAll(/^\| (`.*) \|$/gm)].map(([, cells = '']) =>
      cells.split(' | ').map((cell) => cell.trim().replace(/\\(?=[_*<])/g, '')),
    );
    const expected = Object.entries(VARIABLES).map(([name, variable]) => [
      'secret' in variable ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``,
      variable.description,
      variable.kind.allowed,
      'default' in variable ? `\`${variable.default}\`` : variable.unset,
    ]);
    expect(rows).toEqual(expected);
  });

  it('explain texts of the service', () => {
    // Texts that are put together from several strings, and the values within them, count as interrupted.
    const sources = readdirSync('src', { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(path.join('src', name), 'utf8'))
      .join('\n')
      .replace(/(['`]) \+\n\s*['`]/g, '')
      .replace(/\$\{[^}]*\}/g, '…')
      .replace(/\\(?=['`])/g, '');
    const texts = [...load('docs/troubleshooting.md').text.matchAll(/^\| (?:\d+ )?`([^`]+)`/gm)]
      .map(([, text = '']) => text)
      .filter((text) => !OF_OTHERS.has(text));
    const unknown = texts.filter((text) =>
      text.split(/…| - /).some((part) => !sources.includes(part.trim())),
    );
    expect(texts.length).toBeGreaterThan(40);
    expect(unknown).toEqual([]);
  });

  it('list every decision', () => {
    const index = all.find(({ name }) => name === 'docs/decisions/README.md');
    const pages = readdirSync('docs/decisions').filter((name) => /^\d{4}-/.test(name));
    expect(index && links(index).sort()).toEqual(pages.sort());
  });

  it('describe every room', () => {
    const design = load('docs/design.md').text;
    const rooms = ['src/modules', 'src/platform'].flatMap((folder) => readdirSync(folder));
    expect(rooms.filter((room) => !design.includes(`    ${room}/`))).toEqual([]);
  });
});

describe('rooms', () => {
  // As docs/design.md has it.
  it('have at most a dozen entries at their roots', () => {
    const rooms = readdirSync('src/modules');
    const crowded = rooms
      .map((room) => [room, readdirSync(path.join('src/modules', room)).length] as const)
      .filter(([, entries]) => entries > 12)
      .map(
        ([room, entries]) =>
          `${room} has ${String(entries)} entries at its root, 12 are allowed (docs/design.md, "A room from inside")`,
      );
    expect(rooms.length).toBeGreaterThan(10);
    expect(crowded).toEqual([]);
  });
});
