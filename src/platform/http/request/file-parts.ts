import type { Request } from 'express';
import type { Readable } from 'node:stream';

/** One file part of a multipart body, while it arrives. */
export interface FilePart {
  readonly field: string;
  /** As the client named it: no safe path. */
  readonly filename: string;
  readonly mediaType: string;
  /** Must be read to its end or destroyed; it is destroyed when the client goes away. */
  readonly content: Readable;
}

/** A file that was received. */
export interface ReceivedFile {
  readonly filename: string;
  readonly mediaType: string;
  /** Where its content lies. */
  readonly path: string;
  /** Its size in bytes. */
  readonly size: number;
}

/** Takes file parts for the few routes that have them; everywhere else they are read and dropped. */
export interface FileReceiver {
  /** The largest body in bytes this request may bring, undefined when it may not bring files. */
  accepts(request: Request): number | undefined;
  /**
   * Stores one part. The caller is not known yet, and the body may still turn out to be malformed:
   * whatever no handler has claimed by the end of the response must be dropped again.
   */
  receive(part: FilePart, request: Request): Promise<ReceivedFile>;
}
