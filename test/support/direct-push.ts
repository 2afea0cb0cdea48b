import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isAbsent, type RefUpdate, ZERO_OID } from '../../src/git/index.js';
import { splitPackets } from '../../src/git/wire/pkt-line.js';
import { ProjectStorage } from '../../src/modules/storage/index.js';
import { pushBody } from '../unit/git/support/raw-push.js';
import type { MadeProject, Person } from './factories.js';
import type { GitObject } from './git-objects.js';
import { packOfObjects } from './raw-pack.js';
import { sendPush } from './raw-push.js';
import type { Trellis } from './trellis.js';

const OID_LENGTH = 40;

/**
 * Pushes by one request, without the five processes of a git client, and by force.
 * @param targets by the full name of a ref, the object that it moves to; null deletes it
 * @param objects what the repository lacks
 * @returns what the service had git print, line by line
 * @throws Error when a ref is refused
 */
export async function pushDirectly(
  trellis: Trellis,
  by: { project: MadeProject; person: Person },
  targets: ReadonlyMap<string, string | null>,
  objects: readonly GitObject[] = [],
): Promise<string[]> {
  const folder = trellis.app.get(ProjectStorage).path({ id: by.project.id, storage: 'default' });
  const updates: RefUpdate[] = [];
  for (const [ref, target] of targets) {
    const oldOid = (await readRef(folder, ref)) ?? ZERO_OID;
    const newOid = target ?? ZERO_OID;
    if (oldOid !== newOid) updates.push({ ref, oldOid, newOid });
  }
  if (updates.length === 0) return [];
  const isDeletion = [...targets.values()].every((target) => target === null);
  const pack = isDeletion ? Buffer.alloc(0) : packOfObjects(objects);
  const body = pushBody(updates, 'report-status side-band-64k', pack);
  const answer = await sendPush(trellis, by, body);
  const { report, progress } = readBands(Buffer.from(answer, 'latin1'));
  const accepted = report.filter((line) => /^(?:unpack ok|ok .*)$/.test(line));
  if (accepted.length !== updates.length + 1) throw new Error(answer);
  return progress;
}

/** What a full ref name points at, or null, from files of the repository: a process takes longer than git's work. */
export async function readRef(folder: string, ref: string): Promise<string | null> {
  const loose = await textOf(path.join(folder, ref));
  if (loose !== null) return loose.trim();
  const packed = (await textOf(path.join(folder, 'packed-refs'))) ?? '';
  const line = packed.split('\n').find((each) => each.slice(OID_LENGTH) === ` ${ref}`);
  return line?.slice(0, OID_LENGTH) ?? null;
}

async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // A folder has the name where it begins that of other refs.
    if (isAbsent(error) || (error as NodeJS.ErrnoException).code === 'EISDIR') return null;
    throw error;
  }
}

/** The lines of the report, which is the first band, and those of progress, the second. */
function readBands(answer: Buffer): { report: string[]; progress: string[] } {
  const bands = payloads(answer);
  const bandOf = (number: number) =>
    Buffer.concat(bands.filter(([band]) => band === number).map((each) => each.subarray(1)));
  return {
    report: payloads(bandOf(1)).map((line) => line.toString().trim()),
    progress: bandOf(2).toString().split('\n').filter(Boolean),
  };
}

const payloads = (bytes: Buffer): Buffer[] =>
  splitPackets(bytes).flatMap(({ payload }) => payload ?? []);
