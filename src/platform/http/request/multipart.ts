import busboy from 'busboy';
import type { Request } from 'express';
import type { Readable } from 'node:stream';
import { type DomainError, invalidParameter, tooLarge } from '../../errors/index.js';
import { bodyBytes, ClientGone } from './body-bytes.js';
import { ByteLimit } from './byte-limit.js';
import type { FileReceiver, ReceivedFile } from './file-parts.js';
import { bare, FormFields } from './form-fields.js';
import { MAX_BODY_BYTES, MAX_FORM_FIELDS } from './limits.js';
import type { RawParameters } from './request-parameters.js';

const MAX_FILES = 10;
const MAX_NAME_BYTES = 1024;

export interface MultipartBody {
  readonly parameters: RawParameters;
  readonly files: ReadonlyMap<string, ReceivedFile>;
}

/**
 * Reads a `multipart/form-data` body. Form fields become parameters; file parts go to the receiver, if
 * it accepts the request, and are dropped otherwise.
 *
 * @throws DomainError `too-large` or for a malformed body; ClientGone
 */
export async function readMultipart(
  request: Request,
  receiver: FileReceiver | undefined,
): Promise<MultipartBody> {
  const parser = parserFor(request);
  if (parser === undefined) {
    const bytes = await bodyBytes(request, MAX_BODY_BYTES);
    if (bytes.length > 0) throw malformed();
    return { parameters: bare(), files: new Map() };
  }
  const accepted = await receiver?.accepts(request);
  // Whoever left while the receiver made up its mind says so no more.
  if (request.destroyed) throw new ClientGone();
  const maximum = accepted ?? MAX_BODY_BYTES;
  if (Number(request.headers['content-length'] ?? 0) > maximum) throw tooLarge();
  const limit = new ByteLimit(maximum);
  const reading = new MultipartReading(request, accepted === undefined ? undefined : receiver);
  const parsed = reading.follow(parser, limit);
  request.pipe(limit).pipe(parser);
  try {
    await parsed;
  } catch (failure) {
    request.unpipe(limit);
    parser.destroy();
    await reading.settled();
    // A body of no bytes at all is not malformed, whatever its type says.
    if (limit.bytes > 0 || !request.complete) throw failure;
  }
  return reading;
}

/** The fields and files that came so far. */
class MultipartReading implements MultipartBody {
  readonly files = new Map<string, ReceivedFile>();
  private readonly fields = new FormFields();
  private readonly stored: Promise<{ field: string; file: ReceivedFile }>[] = [];

  constructor(
    private readonly request: Request,
    private readonly receiver: FileReceiver | undefined,
  ) {}

  get parameters(): RawParameters {
    return this.fields.parameters;
  }

  /** Resolves once everything is read and stored, rejects with the first failure. */
  async follow(parser: busboy.Busboy, limit: ByteLimit): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fail = (failure: unknown): void =>
        reject(failure instanceof Error ? failure : new Error(String(failure)));
      parser.on('field', (name, value, info) => {
        const failure = this.takeField(name, value, info);
        if (failure) fail(failure);
      });
      parser.on('file', (field, content, info) => this.takeFile(field, content, info, fail));
      parser.on('fieldsLimit', () => fail(invalidParameter('too many parameters')));
      parser.on('filesLimit', () => fail(malformed()));
      // The parser's own errors speak of its grammar.
      parser.on('close', resolve).on('error', () => fail(malformed()));
      limit.on('error', fail);
      this.request.on('close', () => {
        if (!this.request.complete) fail(new ClientGone());
      });
    });
    // In the order of the body, whichever was done first: the last of a name counts.
    for (const { field, file } of await Promise.all(this.stored)) this.files.set(field, file);
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.stored);
  }

  private takeField(name: string, value: string, info: busboy.FieldInfo): DomainError | undefined {
    if (info.nameTruncated) return malformed();
    return info.valueTruncated ? tooLarge() : this.fields.add(name, value);
  }

  private takeFile(
    field: string,
    content: Readable,
    { filename = '' }: { filename: string | undefined },
    fail: (failure: unknown) => void,
  ): void {
    content.on('error', () => undefined);
    if (this.receiver === undefined) {
      content.resume();
      return;
    }
    const part = { field, filename, content };
    const stored = this.receiver.receive(part, this.request).then((file) => ({ field, file }));
    stored.catch(fail);
    this.stored.push(stored);
  }
}

// Nothing to parse by: the type names no boundary.
function parserFor(request: Request): busboy.Busboy | undefined {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: {
        fieldNameSize: MAX_NAME_BYTES,
        fieldSize: MAX_BODY_BYTES,
        fields: MAX_FORM_FIELDS,
        files: MAX_FILES,
      },
    });
  } catch {
    return undefined;
  }
}

function malformed(): DomainError {
  return invalidParameter('The request body is not valid form data');
}
