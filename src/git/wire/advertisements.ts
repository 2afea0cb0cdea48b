import { type Ref, ZERO_OID } from '../model/types.js';
import type { PackServiceName } from '../process/command-table.js';
import { SharedState } from '../process/runtime.js';
import type { RefStore } from '../refs/ref-store.js';
import { FLUSH_PACKET, pktLine, PktLineSplitter } from './pkt-line.js';

/** More than the capabilities of git take. */
export const MAX_LEARNED_BYTES = 64 * 1024;
const PACKETS_AT_ONCE = 500;
/** The replacement for bytes that are not UTF-8. */
const UNREADABLE = '\ufffd';

/** Advertisements that the service generates: for fetches in version 2, which contain no refs, and for pushes. */
type Kind = 'fetch' | 'push';

/**
 * Generates advertisements without git, which saves a process for each clone and push. The capabilities are the
 * same for all repositories, and are taken from the first advertisement of git. Fetches in version 0 and pushes
 * in version 1 are left to git.
 */
class Advertisements {
  private fetching: Buffer | null = null;
  private pushing: string | null = null;

  /** Returns an advertisement in parts; null when git has to generate it. */
  async create(
    service: PackServiceName,
    protocol: string | undefined,
    refs: RefStore,
  ): Promise<Iterable<Buffer> | null> {
    const kind = kindOf(service, protocol);
    if (kind === 'fetch') return this.fetching === null ? null : [this.fetching];
    if (kind === null || this.pushing === null) return null;
    const all = await refs.listPushable();
    return all.some(({ name }) => name.includes(UNREADABLE)) ? null : forPush(all, this.pushing);
  }

  /** Learns the capabilities. @param output the beginning of an advertisement of git, up to `MAX_LEARNED_BYTES` */
  learn(service: PackServiceName, protocol: string | undefined, output: Buffer): void {
    const kind = kindOf(service, protocol);
    const isWhole = output.length < MAX_LEARNED_BYTES && output.subarray(-4).equals(FLUSH_PACKET);
    if (kind === 'fetch' && isWhole) this.fetching = output;
    if (kind === 'push') this.pushing = capabilitiesIn(output);
  }
}

export const ADVERTISEMENTS = new SharedState(() => new Advertisements());

function kindOf(service: PackServiceName, protocol: string | undefined): Kind | null {
  const version = acceptedProtocol(protocol);
  if (service === 'git-upload-pack') return version === 'version=2' ? 'fetch' : null;
  // Pushes have no version 2: git falls back to version 0.
  return version === 'version=1' ? null : 'push';
}

/** Returns the capabilities, which follow the first ref. */
function capabilitiesIn(output: Buffer): string | null {
  const [first] = new PktLineSplitter().push(output);
  const text = first?.payload?.toString('utf8') ?? '';
  return text.includes('\0') ? text.slice(text.indexOf('\0')) : null;
}

function* forPush(refs: readonly Ref[], capabilities: string): Generator<Buffer> {
  const [first = { name: 'capabilities^{}', target: ZERO_OID }, ...others] = refs;
  yield pktLine(`${first.target} ${first.name}${capabilities}`);
  for (let at = 0; at < others.length; at += PACKETS_AT_ONCE) {
    const some = others.slice(at, at + PACKETS_AT_ONCE);
    yield Buffer.concat(some.map(({ name, target }) => pktLine(`${target} ${name}\n`)));
  }
  yield FLUSH_PACKET;
}

/** Returns the part of a protocol request that is passed to git; null for version 0 and unknown requests. */
export function acceptedProtocol(protocol: string | undefined): string | null {
  const version = protocol?.split(':').find((part) => /^version=[12]$/.test(part));
  return version ?? null;
}

export function protocolEnvironment(protocol: string | undefined): Record<string, string> {
  const accepted = acceptedProtocol(protocol);
  return accepted === null ? {} : { GIT_PROTOCOL: accepted };
}
