import { LF } from '../model/bytes.js';
import { GitProtocolError } from '../model/errors.js';
import { isOid } from '../model/names.js';
import type { GitObject, ObjectInfo, ObjectType } from '../model/types.js';
import type { Reply } from '../process/co-process.js';

const MAX_HEADER = 4096;

/** An object with a content above the limit, of which only the beginning was kept. */
interface OversizedObject extends ObjectInfo {
  content: null;
  beginning: Buffer;
}

export type CatFileAnswer = ObjectInfo | GitObject | OversizedObject | null;

/** A content that is being received. */
interface Body {
  info: ObjectInfo;
  isWhole: boolean;
  /** Copied at the end, so that a small object does not keep a whole read buffer in memory. */
  chunks: Buffer[];
  /** How many more bytes to keep. */
  remaining: number;
  missing: number;
}

/**
 * Parses the answers of `cat-file --batch-command` to a number of `info` or `contents` lines. Of contents
 * above `maxBytes` it keeps the first `beginningBytes`.
 */
export class CatFileReply implements Reply<CatFileAnswer[]> {
  private readonly answers: CatFileAnswer[] = [];
  private header: Buffer[] = [];
  private headerSize = 0;
  private body: Body | null = null;

  constructor(
    private readonly expected: number,
    private readonly kind: 'info' | 'contents',
    private readonly maxBytes = Infinity,
    private readonly beginningBytes = 0,
  ) {}

  push(chunk: Buffer): Buffer | null {
    let rest: Buffer = chunk;
    while (this.answers.length < this.expected) {
      if (rest.length === 0) return null;
      rest = this.body ? this.takeBody(this.body, rest) : this.takeHeader(rest);
    }
    return rest;
  }

  result(): CatFileAnswer[] {
    return this.answers;
  }

  private takeHeader(chunk: Buffer): Buffer {
    const end = chunk.indexOf(LF);
    const part = end === -1 ? chunk : chunk.subarray(0, end);
    this.header.push(part);
    this.headerSize += part.length;
    if (this.headerSize > MAX_HEADER) throw new GitProtocolError('cat-file answered a long line');
    if (end === -1) return chunk.subarray(chunk.length);
    this.finishHeader(parseCatFileHeader(Buffer.concat(this.header).toString('utf8')));
    this.header = [];
    this.headerSize = 0;
    return chunk.subarray(end + 1);
  }

  private finishHeader(info: ObjectInfo | null): void {
    if (!info || this.kind === 'info') {
      this.answers.push(info);
      return;
    }
    // The content is followed by one line end.
    const isWhole = info.size <= this.maxBytes;
    const kept = isWhole ? info.size + 1 : this.beginningBytes;
    this.body = { info, isWhole, chunks: [], remaining: kept, missing: info.size + 1 };
  }

  private takeBody(body: Body, chunk: Buffer): Buffer {
    const part = chunk.subarray(0, body.missing);
    body.missing -= part.length;
    if (body.remaining > 0) body.chunks.push(part.subarray(0, body.remaining));
    body.remaining -= part.length;
    if (body.missing === 0) {
      if (part.at(-1) !== LF) throw new GitProtocolError('cat-file lost its framing');
      const kept = Buffer.concat(body.chunks);
      this.answers.push(
        body.isWhole
          ? { ...body.info, content: kept.subarray(0, body.info.size) }
          : { ...body.info, content: null, beginning: kept },
      );
      this.body = null;
    }
    return chunk.subarray(part.length);
  }
}

function isObjectType(text: string): text is ObjectType {
  return text === 'commit' || text === 'tree' || text === 'blob' || text === 'tag';
}

/** Parses `<oid> <type> <size>`. Returns null for an object that is missing or named ambiguously. */
function parseCatFileHeader(line: string): ObjectInfo | null {
  const [oid, type, size, ...more] = line.split(' ');
  if (more.length === 0 && size === undefined && (type === 'missing' || type === 'ambiguous')) {
    return null;
  }
  if (!isOid(oid ?? '') || !isObjectType(type ?? '') || !/^\d+$/.test(size ?? '') || more.length) {
    throw new GitProtocolError(`cat-file answered ${JSON.stringify(line.slice(0, 100))}`);
  }
  return { oid: oid as string, type: type as ObjectType, size: Number(size) };
}
