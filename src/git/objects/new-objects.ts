import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CommitOrigin } from '../model/commit-parser.js';
import { assertOid } from '../model/names.js';
import { ENTRIES_PER_STEP, FileMode, type RawTreeEntry } from '../model/tree-parser.js';
import type { ObjectType, Oid, Signature } from '../model/types.js';

interface CommitDraft {
  tree: Oid;
  parents: readonly Oid[];
  author: Signature;
  committer: Signature;
  message: string;
}

interface RebasedCommit {
  tree: Oid;
  parent: Oid;
  origin: CommitOrigin;
  committer: Signature;
}

interface TagDraft {
  /** The tagged commit. */
  target: Oid;
  name: string;
  tagger: Signature;
  message: string;
}

export interface NewObject {
  type: ObjectType;
  content: Buffer;
}

/** New objects with their ids, which are not stored in a repository yet. */
export class NewObjects {
  private readonly made = new Map<Oid, NewObject>();
  private contentBytes = 0;

  get size(): number {
    return this.made.size;
  }

  /** The total length of their contents. */
  get bytes(): number {
    return this.contentBytes;
  }

  get(oid: Oid): NewObject | undefined {
    return this.made.get(oid);
  }

  named(): (NewObject & { oid: Oid })[] {
    return [...this.made].map(([oid, object]) => ({ oid, ...object }));
  }

  blob(content: Buffer): Oid {
    return this.add('blob', content);
  }

  /** @param entries in any order */
  async tree(entries: readonly RawTreeEntry[]): Promise<Oid> {
    const sorted = [...entries].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
    const parts: Buffer[] = [];
    for (const [index, { mode, name, oid }] of sorted.entries()) {
      parts.push(Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(assertOid(oid), 'hex'));
      if ((index + 1) % ENTRIES_PER_STEP === 0) await nextTurn();
    }
    return this.add('tree', Buffer.concat(parts));
  }

  commit({ tree, parents, author, committer, message }: CommitDraft): Oid {
    const lines = [
      `tree ${assertOid(tree)}`,
      ...parents.map((parent) => `parent ${assertOid(parent)}`),
      `author ${signatureText(author)}`,
      `committer ${signatureText(committer)}`,
    ];
    return this.add('commit', Buffer.from(`${lines.join('\n')}\n\n${message}`));
  }

  /** A commit with the author and message of another one. */
  rebasedCommit({ tree, parent, origin, committer }: RebasedCommit): Oid {
    const start = `tree ${assertOid(tree)}\nparent ${assertOid(parent)}\nauthor `;
    const middle = `\ncommitter ${signatureText(committer)}\n\n`;
    const parts = [Buffer.from(start), origin.author, Buffer.from(middle), origin.message];
    return this.add('commit', Buffer.concat(parts));
  }

  /** An annotated tag of a commit. */
  tag({ target, name, tagger, message }: TagDraft): Oid {
    const lines = [
      `object ${assertOid(target)}`,
      'type commit',
      `tag ${name}`,
      `tagger ${signatureText(tagger)}`,
    ];
    return this.add('tag', Buffer.from(`${lines.join('\n')}\n\n${message}`));
  }

  /** Adds the objects of another collection. */
  addAll(others: NewObjects): void {
    for (const [oid, object] of others.made) this.set(oid, object);
  }

  add(type: ObjectType, content: Buffer): Oid {
    const oid = createHash('sha1')
      .update(`${type} ${content.length}\0`)
      .update(content)
      .digest('hex');
    this.set(oid, { type, content });
    return oid;
  }

  private set(oid: Oid, object: NewObject): void {
    if (!this.made.has(oid)) this.contentBytes += object.content.length;
    this.made.set(oid, object);
  }
}

/** Returns the sort key of an entry. git compares folders as if their names ended in a slash. */
function sortKey({ mode, name }: RawTreeEntry): string {
  return mode === FileMode.TREE ? `${name}/` : name;
}

function signatureText({ name, email, date, timezone }: Signature): string {
  const seconds = Math.max(0, Math.floor(date.getTime() / 1000));
  return `${plain(name)} <${plain(email)}> ${seconds} ${timezone}`;
}

const CRUD_AT_EDGE =
  /^[\u0000-\u0020.,:;<>"\\']+|(?<![\u0000-\u0020.,:;<>"\\'])[\u0000-\u0020.,:;<>"\\']+$/g;

/** Returns a name or an address without the characters that git removes from signatures. */
export function plainIdentity(text: string): string {
  return plain(text).replace(CRUD_AT_EDGE, '');
}

function plain(text: string): string {
  return text.replace(/[\0\n<>]/g, '');
}
