import { type FileHandle, open, rename, stat } from 'node:fs/promises';

/** The service's own log, as far as the embedded server writes to it. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

const LARGEST_BYTES = 4 * 1024 * 1024;
const TAIL_BYTES = 4096;
const TAIL_LINES = 12;

/** The file the server writes its messages to. It outlives the service, as a pipe would not. */
export class ServerLog {
  private begin = 0;

  constructor(private readonly path: string) {}

  /** Opens it for a new server; a file grown large is put aside as `.1`, over the one before. */
  async open(): Promise<FileHandle> {
    const present = await stat(this.path).catch(() => undefined);
    if (present && present.size > LARGEST_BYTES) await rename(this.path, `${this.path}.1`);
    const file = await open(this.path, 'a', 0o600);
    this.begin = (await file.stat()).size;
    return file;
  }

  /** The last lines since `open`. */
  async tail(): Promise<string> {
    const file = await open(this.path, 'r');
    try {
      const { size } = await file.stat();
      const position = Math.max(this.begin, size - TAIL_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), { position });
      return buffer
        .toString('utf8', 0, bytesRead)
        .trimEnd()
        .split('\n')
        .slice(-TAIL_LINES)
        .join('\n');
    } finally {
      await file.close();
    }
  }
}
