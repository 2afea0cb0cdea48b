import type { Request } from 'express';
import type { Readable } from 'node:stream';

/** One file part of a multipart body, while it arrives. */
export interface FilePart {
  readonly field: string;
  /** As the client named it: no safe path. */
  readonly filename: string;
  /** Must be read to its end or destroyed; it is destroyed when the client goes away. */
  readonly content: Readable;
}

/**
 * A file that came as a part of a body; the value of its field among the parameters. A class, so that
 * nothing a client can write in JSON or a form is taken for one.
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
  /** The largest body in bytes this request may bring, undefined when it may not bring files. */
  accepts(request: Request): Promise<number | undefined>;
  /**
   * Stores one part, or drops it where the request will not get to a handler. The caller is not known
   * for sure yet, and the body may still turn out to be malformed: whatever no handler has claimed by
   * the end of the response must be dropped again.
   */
  receive(part: FilePart, request: Request): Promise<ReceivedFile>;
}
