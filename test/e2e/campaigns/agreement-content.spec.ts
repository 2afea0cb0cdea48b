/** @campaign agreement */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { archiveMadeByGit, unpacked } from '../../support/archives.js';
import type { Person } from '../../support/factories.js';
import { isSeedFixed, lengthOf, seedOf } from '../../support/lengths.js';
import { asAnswered, type ShownDiff } from '../../support/shown-diffs.js';
import {
  allPages,
  type HistoryName,
  pushHistory,
  spread,
  type PushedHistory,
} from '../../support/pushed-history.js';
import { Trellis } from '../../support/trellis.js';
import {
  diffFromGit,
  EMPTY_TREE,
  type GitEntry,
  treeFromGit,
} from '../../unit/git/support/changes-from-git.js';
import { git } from '../../unit/git/support/workshop.js';

interface TreeBody {
  id: string;
  name: string;
  type: string;
  path: string;
  mode: string;
}

const SEED = seedOf(1);
const HISTORIES = lengthOf<HistoryName[]>({ brief: [SEED], campaign: [SEED, SEED + 1, 'own'] });
/** How many of each are looked at in any one history. */
const DIFFS = lengthOf({ brief: 30, campaign: 60 });
const TREES = lengthOf({ brief: 2, campaign: 6 });
const FOLDERS = lengthOf({ brief: 3, campaign: 6 });
const FILES = lengthOf({ brief: 5, campaign: 8 });
const ARCHIVES = lengthOf({ brief: 1, campaign: 2 });

/** What changes of files a generated history has: every kind that there is. */
const LETTERS = ['A', 'D', 'M', 'R', 'T'];
const KINDS = ['tree', 'blob', 'commit'];

jest.setTimeout(120_000);

describe('content through the API', () => {
  let trellis: Trellis;
  let owner: Person;
  let folder: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-agreement-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  describe.each<HistoryName>(HISTORIES)('agrees with git, in history %s,', (name) => {
    let history: PushedHistory;

    beforeAll(async () => {
      history = await pushHistory(trellis, owner, name, folder);
    });

    /** The answer's very bytes. */
    const bytes = async (place: string): Promise<Buffer> => {
      const headers = { 'PRIVATE-TOKEN': owner.token };
      const answer = await fetch(`${trellis.url}/api/v3${history.base}/${place}`, { headers });
      const content = Buffer.from(await answer.arrayBuffer());
      if (answer.status !== 200) throw new Error(`${place}: ${content.toString()}`);
      return content;
    };

    const treeOfGit = (...args: string[]): Promise<GitEntry[]> =>
      treeFromGit(history.source, ...args);

    it('on the changes of commits', async () => {
      const letters = new Set<string>();
      const log = await git(['log', '--all', '--format=%H %P'], { cwd: history.source });
      for (const line of spread(log.split('\n'), DIFFS)) {
        const [commit = '', parent = EMPTY_TREE] = line.trim().split(' ');
        const shown = await allPages<ShownDiff>(
          history.client,
          `${history.base}/commits/${commit}/diff`,
        );
        const changes = await diffFromGit(history.source, parent, commit);
        expect(shown).toEqual(asAnswered(changes).diffs);
        for (const { letter } of changes) letters.add(letter);
      }
      if (name !== 'own' && isSeedFixed()) expect([...letters].sort()).toEqual(LETTERS);
    });

    it('on folders, flat and recursive', async () => {
      for (const commit of spread(history.commits, TREES)) {
        const list = (query: object) => {
          const text = new URLSearchParams({ ref_name: commit, ...query }).toString();
          return allPages<TreeBody>(history.client, `${history.base}/tree?${text}`);
        };
        expect(await list({})).toEqual(inOrder(await treeOfGit(commit)));
        const all = await treeOfGit('-r', '-t', commit);
        expect(await list({ recursive: 'true' })).toEqual(inOrder(all));
        const folders = all.filter(({ type }) => type === 'tree');
        for (const { path: place } of spread(folders, FOLDERS)) {
          const direct = await treeOfGit(`${commit}:${place}`);
          const below = await treeOfGit('-r', '-t', `${commit}:${place}`);
          expect(await list({ path: place })).toEqual(inOrder(direct, place));
          expect(await list({ path: place, recursive: 1 })).toEqual(inOrder(below, place));
        }
      }
    });

    it('on files, to the last byte', async () => {
      for (const commit of spread(history.commits, TREES)) {
        const files = (await treeOfGit('-r', commit)).filter(({ type }) => type === 'blob');
        for (const { oid, path: place } of spread(files, FILES)) {
          const filepath = encodeURIComponent(place);
          const content = await bytes(`blobs/${commit}?filepath=${filepath}`);
          expect(blobId(content)).toBe(oid);
          expect(await bytes(`commits/${commit}/blob?filepath=${filepath}`)).toEqual(content);
          expect(await bytes(`raw_blobs/${oid}`)).toEqual(content);
          const query = `file_path=${filepath}&ref=${commit}`;
          const { body } = await history.client.get(`${history.base}/files?${query}`).expect(200);
          expect(body).toEqual({
            file_name: path.posix.basename(place),
            file_path: place,
            size: content.length,
            encoding: 'base64',
            content: content.toString('base64'),
            ref: commit,
            blob_id: oid,
            commit_id: commit,
            last_commit_id: await git(
              ['--literal-pathspecs', 'rev-list', '-1', commit, '--', place],
              { cwd: history.source },
            ),
          });
        }
      }
    });

    it('on archives, to the last byte', async () => {
      for (const commit of spread(history.commits, ARCHIVES)) {
        const within = `${history.project.path}-${commit}-${commit}`;
        for (const extension of ['tar', 'tar.gz', 'tar.bz2', 'zip'] as const) {
          const packed = await bytes(`archive.${extension}?sha=${commit}`);
          const archive = await unpacked(extension, packed, folder);
          const format = extension === 'zip' ? 'zip' : 'tar';
          const terms = { format, commit, folder: within } as const;
          expect(archive.equals(await archiveMadeByGit(history.source, folder, terms))).toBe(true);
        }
      }
    });
  });
});

/** As the API lists them: folders first, then files, then submodules, each by path. */
function inOrder(entries: readonly GitEntry[], folder = ''): TreeBody[] {
  return entries
    .map(({ mode, type, oid, path: place }) => ({
      id: oid,
      name: path.posix.basename(place),
      type,
      path: folder === '' ? place : `${folder}/${place}`,
      mode,
    }))
    .sort((a, b) => KINDS.indexOf(a.type) - KINDS.indexOf(b.type) || (a.path < b.path ? -1 : 1));
}

function blobId(content: Buffer): string {
  const head = `blob ${String(content.length)}\0`;
  return createHash('sha1').update(head).update(content).digest('hex');
}
