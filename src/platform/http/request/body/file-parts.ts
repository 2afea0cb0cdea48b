import type { Request } from 'express';
import type { Readable } from 'node:stream';

/** One file part of a multipart body, while it arrives. */
export interface FilePart {
  readonly field: string;
  /** As the client named it: no safe path. */
  readonly filename: string;
  /** Must be read to its end or destroyed; it is destroyed when the client disconnects. */
  readonly content: Readable;
}

/**
 * A file part of a body that has been received; the value of its parameter. A class, so that no JSON or form field
 * can pass for one.
 */
export class ReceivedFile {
  /**
   * @param filename as the client named it: no safe path
   * @param path where its content lies, null when it was read and dropped
   */
  constructor(
    readonly filename: string,
    readonly path: string | null,
  ) {}
}

/** Takes file parts for the few routes that have them; everywhere else they are read and dropped. */
export interface FileReceiver {
  /** The largest body of this request in bytes; undefined if it may not contain files. */
  accepts(request: Request): Promise<number | undefined>;
  /**
   * Stores one part, or drops it if the request will be refused. The caller may still be unknown, and the body
   * malformed: parts that no handler has claimed by the end of the response must be removed.
   */
  receive(part: FilePart, request: Request): Promise<ReceivedFile>;
}
