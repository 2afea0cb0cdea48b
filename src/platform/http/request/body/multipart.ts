import busboy from 'busboy';
import type { Request } from 'express';
import type { Readable } from 'node:stream';
import {
  ClientDisconnectedError,
  type DomainError,
  invalidParameter,
  tooLarge,
  tooSlow,
} from '../../../errors/index.js';
import { type BodyPace, ORDINARY_BODY } from '../../../limits/index.js';
import { allowBody, type AllowanceTerms } from './body-allowance.js';
import { ByteLimit, PaceWatch, readChunks } from './body-bytes.js';
import type { FileReceiver, ReceivedFile } from './file-parts.js';
import { bare, FormFields } from '../form-fields.js';
import type { RawParameters } from '../request-parameters.js';

const MAX_FILES = 10;
const MAX_NAME_BYTES = 1024;

interface MultipartBody {
  readonly parameters: RawParameters;
  readonly files: ReadonlyMap<string, ReceivedFile>;
}

interface MultipartOptions {
  readonly terms: AllowanceTerms;
  readonly pace: BodyPace;
  readonly receiver: FileReceiver | undefined;
}

/**
 * Reads a `multipart/form-data` body. Form fields become parameters; file parts go to the receiver, if
 * it accepts the request, and are dropped otherwise.
 *
 * @throws DomainError `too-large` or for a malformed body; SlotsTakenError; ClientDisconnectedError
 */
export async function readMultipart(
  request: Request,
  { terms, pace, receiver }: MultipartOptions,
): Promise<MultipartBody> {
  const accepted = await receiver?.accepts(request);
  const limit = accepted === undefined ? terms.limit : { ...terms.limit, bytes: accepted };
  // Files pass through; what is kept are the fields.
  const heldBytes = accepted === undefined ? limit.bytes : ORDINARY_BODY.bytes;
  const parser = parserFor(request, { bytes: heldBytes, fields: limit.values });
  if (parser === undefined) {
    await readChunks(request, pace, () => {
      throw malformed();
    });
    return { parameters: bare(), files: new Map() };
  }
  const { bytes } = await allowBody(request, { ...terms, limit, heldBytes });
  // A client that disconnected meanwhile emits no further event.
  if (request.destroyed) throw new ClientDisconnectedError();
  const taker = accepted === undefined ? undefined : receiver;
  const reading = new MultipartReading(request, taker, { bytes: heldBytes, fields: limit.values });
  const allowed = new ByteLimit(bytes);
  const parsed = reading.follow(parser, allowed, pace);
  request.pipe(allowed).pipe(parser);
  try {
    await parsed;
  } catch (failure) {
    request.unpipe(allowed);
    parser.destroy();
    await reading.settled();
    // A body of no bytes at all is not malformed, whatever its type says.
    if (allowed.bytes > 0 || !request.complete) throw failure;
  }
  return reading;
}

interface FieldLimits {
  /** Of all names and values together. */
  readonly bytes: number;
  readonly fields: number;
}

/** The fields and files that came so far. */
class MultipartReading implements MultipartBody {
  readonly files = new Map<string, ReceivedFile>();
  private readonly fields: FormFields;
  private fieldBytes = 0;
  private readonly stored: Promise<{ field: string; file: ReceivedFile }>[] = [];

  constructor(
    private readonly request: Request,
    private readonly receiver: FileReceiver | undefined,
    private readonly limits: FieldLimits,
  ) {
    this.fields = new FormFields(limits.fields);
  }

  get parameters(): RawParameters {
    return this.fields.parameters;
  }

  /** Resolves once everything is read and stored, rejects with the first failure. */
  async follow(parser: busboy.Busboy, allowed: ByteLimit, pace: BodyPace): Promise<void> {
    let watch: PaceWatch | undefined;
    const arrived = new Promise<void>((resolve, reject) => {
      const fail = (failure: unknown): void =>
        reject(failure instanceof Error ? failure : new Error(String(failure)));
      parser.on('field', (name, value, info) => {
        const failure = this.takeField(name, value, info);
        if (failure) fail(failure);
      });
      parser.on('file', (field, content, info) => this.takeFile(field, content, info, fail));
      parser.on('fieldsLimit', () => fail(invalidParameter('too many parameters')));
      parser.on('filesLimit', () => fail(malformed()));
      // The parser's own messages are about its grammar.
      parser.on('close', resolve).on('error', () => fail(malformed()));
      allowed.on('error', fail);
      watch = new PaceWatch(this.request, pace, () => fail(tooSlow()));
      watch.start();
      this.request.on('close', () => {
        if (!this.request.complete) fail(new ClientDisconnectedError());
      });
    });
    await arrived.finally(() => watch?.stop());
    // In the order of the body, not of completion: the last value of a name counts.
    for (const { field, file } of await Promise.all(this.stored)) this.files.set(field, file);
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.stored);
  }

  private takeField(name: string, value: string, info: busboy.FieldInfo): DomainError | undefined {
    if (info.nameTruncated) return malformed();
    this.fieldBytes += name.length + value.length;
    const isTooLarge = info.valueTruncated || this.fieldBytes > this.limits.bytes;
    return isTooLarge ? tooLarge() : this.fields.add(name, value);
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
function parserFor(request: Request, { bytes, fields }: FieldLimits): busboy.Busboy | undefined {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: {
        fieldNameSize: MAX_NAME_BYTES,
        fieldSize: bytes,
        fields,
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
