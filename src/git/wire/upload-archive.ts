import { on } from 'node:events';
import { Readable } from 'node:stream';
import { GitProtocolError } from '../model/errors.js';
import { ARCHIVE_LIMIT_MS } from '../objects/archive.js';
import { gitCommands } from '../process/command-table.js';
import { ensureAttributes } from '../storage/repository-folder.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { type ClientStreams, deliver, expectErrors } from './client-streams.js';
import { converse, type PackResult, refused } from './pack-service.js';
import { FLUSH_PACKET, pktLine, PktLineSplitter, withoutNewline } from './pkt-line.js';
import { Traffic } from './traffic.js';

/** Git's own limit. */
const MAX_ARGUMENTS = 63;
const MAX_REQUEST_BYTES = 64 * 1024;
const TOKEN = 'argument ';
/** `--add-file` and similar options, also abbreviated: git opens the file before it refuses the option. */
const LOCAL_FILE = /^--ad/;

/** `--format`, also abbreviated: the configuration of a repository can name programs for further ones. */
const FORMAT = /^--f/;
const FORMATS: readonly string[] = ['tar', 'tgz', 'tar.gz', 'zip'];

export interface UploadArchiveOptions extends ClientStreams {
  /** Called when the request has arrived. Waits for a slot, and resolves with the function that releases it. */
  admit: () => Promise<() => void>;
}

/**
 * Serves `git archive --remote`: the files of a ref as tar or zip. Stops git when the client disconnects, and after
 * an hour.
 * @throws whatever `admit` throws
 */
export async function uploadArchive(
  location: RepositoryLocation,
  client: UploadArchiveOptions,
): Promise<PackResult> {
  expectErrors(client);
  await location.identity();
  const { requestTimeoutMs } = location.runtime.limits;
  // Reads the request before acquiring a slot, so that idle clients hold none.
  const request = await readRequest(client, requestTimeoutMs);
  if ('refusal' in request) return refuse(client, request.refusal);
  await ensureAttributes(location.path);
  const release = await client.admit();
  try {
    return await serve(location, client, request.args);
  } finally {
    release();
  }
}

async function serve(
  location: RepositoryLocation,
  client: ClientStreams,
  args: readonly Buffer[],
): Promise<PackResult> {
  const command = gitCommands.uploadArchive(location.path);
  const child = location.runtime.launcher.spawn(command, ['pipe', 'pipe', 'pipe']);
  const excess = new AbortController();
  location.watchReader(child, () => excess.abort());
  const ends = [excess.signal, AbortSignal.timeout(ARCHIVE_LIMIT_MS)];
  const signal = AbortSignal.any(client.signal ? [...ends, client.signal] : ends);
  const streams = { output: client.output, input: Readable.from([encode(args)]), signal };
  const conversation = { service: 'upload-archive', isStateless: false } as const;
  const traffic = new Traffic(location.runtime.launcher.observer, conversation);
  try {
    const result = await converse(child, streams, location.runtime.limits, traffic);
    if (result.exitCode === 0) traffic.operation = 'archive';
    return result;
  } finally {
    traffic.end();
  }
}

type ArchiveRequest = { args: Buffer[] } | { refusal: string };

/** Reads the arguments of `git archive` up to the flush packet, and leaves the input open. */
async function readRequest(client: ClientStreams, limitMs: number): Promise<ArchiveRequest> {
  const { input } = client;
  const limit = AbortSignal.timeout(limitMs);
  const signal = client.signal ? AbortSignal.any([limit, client.signal]) : limit;
  const splitter = new PktLineSplitter();
  const args: Buffer[] = [];
  let size = 0;
  try {
    for await (const [data] of on(input, 'data', { signal, close: ['end', 'close'] })) {
      const chunk = data as Buffer;
      size += chunk.length;
      if (size > MAX_REQUEST_BYTES) return { refusal: 'the request is too long' };
      for (const { payload } of splitter.push(chunk)) {
        if (payload === null) return checked(args);
        if (args.length === MAX_ARGUMENTS) return { refusal: 'too many arguments' };
        if (!payload.toString('latin1').startsWith(TOKEN)) return MALFORMED;
        args.push(withoutNewline(payload.subarray(TOKEN.length)));
      }
    }
    return MALFORMED;
  } catch (error) {
    if (error instanceof GitProtocolError || signal.aborted || input.errored) return MALFORMED;
    throw error;
  } finally {
    input.pause();
  }
}

const MALFORMED = { refusal: 'the request is malformed or incomplete' };

/** Refuses options also after `--`, which may be an option's value. */
function checked(args: Buffer[]): ArchiveRequest {
  const texts = args.map((argument) => argument.toString('latin1'));
  if (texts.some((text) => LOCAL_FILE.test(text))) {
    return { refusal: 'files of the server are not served' };
  }
  const formats = texts.flatMap((text, index) => {
    if (!FORMAT.test(text)) return [];
    const equals = text.indexOf('=');
    return [equals < 0 ? (texts[index + 1] ?? '') : text.slice(equals + 1)];
  });
  const isOffered = formats.every((format) => FORMATS.includes(format));
  return isOffered ? { args } : { refusal: 'the format is not offered' };
}

function encode(args: readonly Buffer[]): Buffer {
  const packets = args.map((argument) => pktLine(Buffer.concat([Buffer.from(TOKEN), argument])));
  return Buffer.concat([...packets, FLUSH_PACKET]);
}

/** Answers a NACK packet, which `git archive` prints. */
async function refuse({ output, signal }: ClientStreams, reason: string): Promise<PackResult> {
  const gone = signal ?? new AbortController().signal;
  await deliver(output, pktLine(`NACK ${reason}\n`), gone);
  return refused(reason);
}
