import { BRANCH_PREFIX, TAG_PREFIX } from './names.js';
import { acceptedProtocol } from './protocol.js';
import type { PackServiceName } from './command-table.js';
import { FLUSH_PACKET, pktLine, PktLineSplitter } from './pkt-line.js';
import type { RefStore } from './ref-store.js';
import { type Ref, ZERO_OID } from './types.js';

/** More than git's abilities take. */
export const MAX_LEARNED_BYTES = 64 * 1024;
const PACKETS_AT_ONCE = 500;
/** What a byte that is no UTF-8 was read as. */
const UNREADABLE = '\ufffd';

/** Whose answer it is: of a fetch in version 2, where it names no refs, or of a push. */
type Kind = 'fetch' | 'push';

/**
 * Answers the first question of a conversation in git's place, which saves a process for each clone and
 * push. What git can do is the same in all repositories: it is taken from the first answer that git gave
 * itself. What git says otherwise (fetches in version 0, pushes in version 1) is left to git.
 */
export class Advertisements {
  private fetching: Buffer | null = null;
  private pushing: string | null = null;

  /** The answer in parts; null when git has to be asked. */
  async of(
    service: PackServiceName,
    protocol: string | undefined,
    refs: RefStore,
  ): Promise<Iterable<Buffer> | null> {
    const kind = kindOf(service, protocol);
    if (kind === 'fetch') return this.fetching === null ? null : [this.fetching];
    if (kind === null || this.pushing === null) return null;
    const all = [...(await refs.list(BRANCH_PREFIX)), ...(await refs.list(TAG_PREFIX))];
    return all.some(({ name }) => name.includes(UNREADABLE)) ? null : forPush(all, this.pushing);
  }

  /** @param output the beginning of an answer of git, `MAX_LEARNED_BYTES` at most */
  learn(service: PackServiceName, protocol: string | undefined, output: Buffer): void {
    const kind = kindOf(service, protocol);
    const isWhole = output.length < MAX_LEARNED_BYTES && output.subarray(-4).equals(FLUSH_PACKET);
    if (kind === 'fetch' && isWhole) this.fetching = output;
    if (kind === 'push') this.pushing = abilitiesIn(output);
  }
}

function kindOf(service: PackServiceName, protocol: string | undefined): Kind | null {
  const version = acceptedProtocol(protocol);
  if (service === 'git-upload-pack') return version === 'version=2' ? 'fetch' : null;
  // There is no version 2 of pushes: git falls back to version 0.
  return version === 'version=1' ? null : 'push';
}

/** What stands behind the first ref. */
function abilitiesIn(output: Buffer): string | null {
  const [first] = new PktLineSplitter().push(output);
  const text = first?.payload?.toString('utf8') ?? '';
  return text.includes('\0') ? text.slice(text.indexOf('\0')) : null;
}

function* forPush(refs: readonly Ref[], abilities: string): Generator<Buffer> {
  const [first = { name: 'capabilities^{}', target: ZERO_OID }, ...others] = refs;
  yield pktLine(`${first.target} ${first.name}${abilities}`);
  for (let at = 0; at < others.length; at += PACKETS_AT_ONCE) {
    const some = others.slice(at, at + PACKETS_AT_ONCE);
    yield Buffer.concat(some.map(({ name, target }) => pktLine(`${target} ${name}\n`)));
  }
  yield FLUSH_PACKET;
}
