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
} from '../../../limits/index.js';
import { JSON_TYPE } from '../../answers/send-json.js';
import { bare, parseUrlencoded } from '../form-fields.js';
import type { Parsed } from '../request-parameters.js';
import {
  BodyAllowance,
  BodyMemory,
  type KnowsToken,
  UNIDENTIFIED_FORM_BYTES,
} from './body-allowance.js';
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

/** The token in the beginning of a body that is not parsed: in form fields, and in JSON. */
const TOKEN_IN_FORM = /(?:^|&)private_token=([A-Za-z0-9_-]{1,255})(?:&|$)/;
const TOKEN_IN_JSON = /"private_token"\s*:\s*"([A-Za-z0-9_-]{1,255})"/;

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
    const bytes = await this.collect(request, limit, {
      unidentifiedBytes: UNIDENTIFIED_FORM_BYTES,
      token: TOKEN_IN_FORM,
      // Here, because replacing them in a text takes a hundred times as long.
      take: plusToSpace,
    });
    const text = utf8Text(bytes);
    if (text === undefined) throw invalidParameter('The request body is not valid form data');
    await turnFor(bytes);
    return { ...parseUrlencoded(text, limit.values), files: new Map() };
  }

  private async readJson(request: Request, limit: BodyLimit): Promise<ParsedBody> {
    const values = new JsonValues();
    const bytes = await this.collect(request, limit, {
      unidentifiedBytes: ANONYMOUS_BODY.bytes,
      token: TOKEN_IN_JSON,
      take: (chunk) => {
        values.add(chunk);
        if (values.count > limit.values) throw invalidParameter('too many parameters');
      },
    });
    await turnFor(bytes);
    return { ...emptyBody(), parameters: parseJsonObject(bytes) };
  }

  private async readParts(request: Request, limit: BodyLimit): Promise<ParsedBody> {
    const { knowsToken, receiver } = this.options;
    const { memory, pace } = this;
    const terms = { limit, memory, knowsToken, unidentifiedBytes: ANONYMOUS_BODY.bytes };
    const { parameters, files } = await readMultipart(request, { terms, pace, receiver });
    return { parameters, files, problem: undefined };
  }

  private async collect(request: Request, limit: BodyLimit, reading: Reading): Promise<Buffer> {
    const { memory, options, pace } = this;
    const { unidentifiedBytes, take, token } = reading;
    const terms = { limit, memory, knowsToken: options.knowsToken, unidentifiedBytes };
    const allowance = await BodyAllowance.open(request, terms);
    const body = new GrowingBuffer(announcedBytes(request));
    const tokenSoFar = (): string | undefined => token.exec(body.bytes.toString('latin1'))?.[1];
    await readChunks(request, pace, (chunk) => {
      take(chunk);
      if (body.length + chunk.length > limit.bytes) throw tooLarge();
      body.add(chunk);
      return body.length > allowance.bytes ? allowance.widen(tokenSoFar()) : undefined;
    });
    await allowance.conclude(body.length, tokenSoFar);
    return body.bytes;
  }
}

interface Reading {
  unidentifiedBytes: number;
  /** Finds the credential in what was read so far. */
  token: RegExp;
  take: (chunk: Buffer) => void;
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
