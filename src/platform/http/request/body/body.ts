import type { Request } from 'express';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GrowingBuffer } from '../../../collections/index.js';
import {
  type DomainError,
  invalidParameter,
  tooLarge,
  unsupportedEncoding,
  unsupportedMediaType,
} from '../../../errors/index.js';
import {
  ANONYMOUS_BODY,
  BODY_PACE,
  type BodyLimit,
  type BodyPace,
  MIB,
  ORDINARY_BODY,
} from '../../../limits/index.js';
import { JSON_TYPE } from '../../answers/send-json.js';
import { bare, parseUrlencoded } from '../form-fields.js';
import type { Parsed } from '../request-parameters.js';
import { allowBody, type AllowanceTerms, BodyMemory, type KnowsToken } from './body-allowance.js';
import { announcedBytes, readChunks, utf8Text } from './body-bytes.js';
import type { FileReceiver, ReceivedFile } from './file-parts.js';
import { JsonValues, parseJsonObject } from './json.js';
import { readMultipart } from './multipart.js';

export interface ParsedBody extends Parsed {
  readonly files: ReadonlyMap<string, ReceivedFile>;
}

interface BodyOptions {
  readonly knowsToken: KnowsToken;
  /** Takes files of multipart bodies; without it they are dropped. */
  readonly receiver?: FileReceiver | undefined;
  readonly pace?: BodyPace | undefined;
}

export const FORM = 'application/x-www-form-urlencoded';
export const MULTIPART = 'multipart/form-data';

const PLUS = 0x2b;
const SPACE = 0x20;

/** Forms of unknown callers are read up to this size, since one client appends its token to them. */
const UNKNOWN_FORM_BYTES = ORDINARY_BODY.bytes;
const TOKEN_IN_FORM = /(?:^|&)private_token=([A-Za-z0-9_-]{1,255})(?:&|$)/;

/** A body of which nothing could be read. */
export function emptyBody(problem?: DomainError): ParsedBody {
  return { parameters: bare(), files: new Map(), problem };
}

/** Reads the bodies of a process within their budgets. */
export class RequestBodies {
  private readonly memory = new BodyMemory();
  private readonly pace: BodyPace;

  constructor(private readonly options: BodyOptions) {
    this.pace = options.pace ?? BODY_PACE;
  }

  /**
   * Reads a body by its media type; without a type it is a form.
   * @param limit of the route
   * @throws DomainError where nothing of it can be read; SlotsTakenError; ClientDisconnectedError
   */
  async read(request: Request, limit: BodyLimit): Promise<ParsedBody> {
    const type = mediaType(request);
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
    if (encoding === 'identity') {
      if (type === FORM) return this.readForm(request, limit);
      if (type === JSON_TYPE) return this.readJson(request, limit);
      if (type === MULTIPART) return this.readParts(request, limit);
    }
    const isKnownType = type === FORM || type === JSON_TYPE || type === MULTIPART;
    // Only the bytes show that a body is empty, which is never an error.
    await readChunks(request, this.pace, () => {
      throw isKnownType ? unsupportedEncoding(encoding) : unsupportedMediaType(type);
    });
    return emptyBody();
  }

  private async readForm(request: Request, limit: BodyLimit): Promise<ParsedBody> {
    // Pluses are replaced here, because in a text it takes a hundred times as long.
    const terms = this.termsOf(limit, UNKNOWN_FORM_BYTES);
    const { bytes, isKnown } = await this.collect(request, terms, plusToSpace);
    if (!isKnown && bytes.length > ANONYMOUS_BODY.bytes) await this.checkToken(bytes);
    const text = utf8Text(bytes);
    if (text === undefined) throw invalidParameter('The request body is not valid form data');
    await turnFor(bytes);
    return { ...parseUrlencoded(text, limit.values), files: new Map() };
  }

  private async readJson(request: Request, limit: BodyLimit): Promise<ParsedBody> {
    const values = new JsonValues();
    const { bytes } = await this.collect(request, this.termsOf(limit), (chunk) => {
      values.add(chunk);
      if (values.count > limit.values) throw invalidParameter('too many parameters');
    });
    await turnFor(bytes);
    return { ...emptyBody(), parameters: parseJsonObject(bytes) };
  }

  private async readParts(request: Request, limit: BodyLimit): Promise<ParsedBody> {
    const { receiver } = this.options;
    const { pace } = this;
    const terms = this.termsOf(limit);
    const { parameters, files } = await readMultipart(request, { terms, pace, receiver });
    return { parameters, files, problem: undefined };
  }

  private termsOf(limit: BodyLimit, unknownBytes = ANONYMOUS_BODY.bytes): AllowanceTerms {
    return { limit, memory: this.memory, knowsToken: this.options.knowsToken, unknownBytes };
  }

  /** @param take is handed each chunk before it is kept */
  private async collect(
    request: Request,
    terms: AllowanceTerms,
    take: (chunk: Buffer) => void,
  ): Promise<{ bytes: Buffer; isKnown: boolean }> {
    const allowance = await allowBody(request, terms);
    const body = new GrowingBuffer(announcedBytes(request));
    await readChunks(request, this.pace, (chunk) => {
      take(chunk);
      if (body.length + chunk.length > allowance.bytes) throw tooLarge();
      body.add(chunk);
    });
    return { bytes: body.bytes, isKnown: allowance.isKnown };
  }

  /** @throws DomainError `too-large` for a form without a valid token */
  private async checkToken(form: Buffer): Promise<void> {
    const token = TOKEN_IN_FORM.exec(form.toString('latin1'))?.[1];
    if (token === undefined || !(await this.options.knowsToken(token))) throw tooLarge();
  }
}

function mediaType(request: Request): string {
  const named = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return named === undefined || named === '' ? FORM : named;
}

function plusToSpace(chunk: Buffer): void {
  for (let at = chunk.indexOf(PLUS); at >= 0 && at < chunk.length; at += 1) {
    if (chunk[at] === PLUS) chunk[at] = SPACE;
  }
}

/** Yields to other requests between the steps of a large body. */
async function turnFor(bytes: Buffer): Promise<void> {
  if (bytes.length > MIB) await nextTurn();
}
