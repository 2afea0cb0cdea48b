import type { Request } from 'express';
import {
  type DomainError,
  invalidParameter,
  unsupportedEncoding,
  unsupportedMediaType,
} from '../../errors/index.js';
import { bodyBytes } from './body-bytes.js';
import type { FileReceiver, ReceivedFile } from './file-parts.js';
import { bare } from './form-fields.js';
import { parseJsonObject } from './json.js';
import { MAX_BODY_BYTES } from './limits.js';
import { readMultipart } from './multipart.js';
import type { Parsed } from './parsed.js';
import { parseUrlencoded } from './urlencoded.js';

export interface ParsedBody extends Parsed {
  readonly files: ReadonlyMap<string, ReceivedFile>;
}

type BodyReader = (request: Request, receiver: FileReceiver | undefined) => Promise<ParsedBody>;

const FORM = 'application/x-www-form-urlencoded';

const READERS: ReadonlyMap<string, BodyReader> = new Map<string, BodyReader>([
  [FORM, readForm],
  ['application/json', readJson],
  ['multipart/form-data', readParts],
]);

/** A body of which nothing could be read. */
export function emptyBody(problem?: DomainError): ParsedBody {
  return { parameters: bare(), files: new Map(), problem };
}

/**
 * Reads a body by its media type; without a type it is a form.
 *
 * @throws DomainError where nothing of it can be read; ClientGone
 */
export async function readBody(
  request: Request,
  receiver: FileReceiver | undefined,
): Promise<ParsedBody> {
  const type = mediaType(request);
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const reader = READERS.get(type);
  if (reader !== undefined && encoding === 'identity') return reader(request, receiver);
  // Only a look at the bytes tells an empty body, which is never an error.
  const bytes = await bodyBytes(request, MAX_BODY_BYTES);
  if (bytes.length === 0) return emptyBody();
  throw reader === undefined ? unsupportedMediaType(type) : unsupportedEncoding(encoding);
}

function mediaType(request: Request): string {
  const named = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return named === undefined || named === '' ? FORM : named;
}

async function readForm(request: Request): Promise<ParsedBody> {
  const bytes = await bodyBytes(request, MAX_BODY_BYTES);
  return { ...parseUrlencoded(utf8(bytes)), files: new Map() };
}

async function readJson(request: Request): Promise<ParsedBody> {
  const bytes = await bodyBytes(request, MAX_BODY_BYTES);
  return { ...emptyBody(), parameters: parseJsonObject(bytes) };
}

async function readParts(
  request: Request,
  receiver: FileReceiver | undefined,
): Promise<ParsedBody> {
  const { parameters, files } = await readMultipart(request, receiver);
  return { parameters, files, problem: undefined };
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidParameter('The request body is not valid form data');
  }
}
