import { createHash } from 'node:crypto';

/** An object of Git that a test makes without a process. */
export interface GitObject {
  type: 'blob' | 'tree' | 'commit';
  oid: string;
  content: Buffer;
}

const IDENTITY = 'Ada <ada@example.com>';

function gitObject(type: GitObject['type'], content: Buffer): GitObject {
  const head = `${type} ${String(content.length)}\0`;
  return { type, content, oid: createHash('sha1').update(head).update(content).digest('hex') };
}

export function blobObject(text: string): GitObject {
  return gitObject('blob', Buffer.from(text));
}

/** @param files IDs of blobs by the names of files, none of which is in a folder */
export function treeObject(files: ReadonlyMap<string, string>): GitObject {
  const entries = [...files].map(([name, blob]) => ({ name: Buffer.from(name), blob }));
  entries.sort((a, b) => Buffer.compare(a.name, b.name));
  const parts = entries.flatMap(({ name, blob }) => [
    Buffer.from('100644 '),
    name,
    Buffer.from([0]),
    Buffer.from(blob, 'hex'),
  ]);
  return gitObject('tree', Buffer.concat(parts));
}

/** A commit of the present second. */
export function commitObject(
  tree: string,
  parents: readonly string[],
  message: string,
  identity = IDENTITY,
): GitObject {
  const who = `${identity} ${String(Math.floor(Date.now() / 1000))} +0000`;
  const head = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${who}`,
    `committer ${who}`,
  ];
  return gitObject('commit', Buffer.from(`${head.join('\n')}\n\n${message}\n`));
}
