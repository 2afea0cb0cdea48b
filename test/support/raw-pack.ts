import { createHash } from 'node:crypto';
import { createDeflate } from 'node:zlib';

const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;

export interface RepeatedObject {
  type: keyof typeof TYPES;
  head: string;
  /** What the content goes on with behind the head: so many bytes `x`. */
  filler: number;
  /** How much zlib is to compress, from 0 to 9. */
  level?: number;
}

export interface RawPack {
  oid: string;
  pack: Buffer;
}

/** A pack of one object of any size, without holding the object in memory. */
export async function packOfRepeated(object: RepeatedObject): Promise<RawPack> {
  const { type, head, filler, level = 1 } = object;
  const size = head.length + filler;
  const hash = createHash('sha1').update(`${type} ${String(size)}\0${head}`);
  const deflate = createDeflate({ level });
  const compressed: Buffer[] = [];
  const done = new Promise<void>((resolve, reject) => {
    deflate.on('data', (chunk: Buffer) => compressed.push(chunk));
    deflate.once('end', resolve).once('error', reject);
  });
  deflate.write(head);
  const block = Buffer.alloc(1024 * 1024, 'x');
  for (let left = filler; left > 0; left -= block.length) {
    const part = block.subarray(0, Math.min(left, block.length));
    hash.update(part);
    if (!deflate.write(part)) await new Promise((resolve) => deflate.once('drain', resolve));
  }
  deflate.end();
  await done;
  const start = Buffer.alloc(12);
  start.write('PACK');
  start.writeUInt32BE(2, 4);
  start.writeUInt32BE(1, 8);
  const body = Buffer.concat([start, entryHead(TYPES[type], size), ...compressed]);
  const pack = Buffer.concat([body, createHash('sha1').update(body).digest()]);
  return { oid: hash.digest('hex'), pack };
}

/** The body of a push that makes one branch. */
export function pushBody(branch: string, { oid, pack }: RawPack): Buffer {
  const command = `${'0'.repeat(40)} ${oid} refs/heads/${branch}\0 report-status side-band-64k\n`;
  const length = (command.length + 4).toString(16).padStart(4, '0');
  return Buffer.concat([Buffer.from(`${length}${command}0000`), pack]);
}

function entryHead(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let current = (type << 4) | (size & 15);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(current | 0x80);
    current = rest & 0x7f;
  }
  return Buffer.from([...bytes, current]);
}
