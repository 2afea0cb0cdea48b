import type { Socket } from 'node:net';
import { AttachedValue } from '../../async/index.js';
import { BODY_PIECES, KIB, PIECES_PER_TURN } from '../../limits/index.js';
import { exceededBudgets } from '../../metrics/index.js';
import { type BodyStream, type Intake, serverOf, stopParsing } from '../internals/node.js';

/** Smaller pieces are gathered; bytes. */
const LARGE_PIECE_BYTES = 4 * KIB;
/** What small pieces are gathered in. The first block of a body is small, since many such bodies are refused soon. */
const BLOCK_BYTES = 64 * KIB;
const FIRST_BLOCK_BYTES = 4 * KIB;

/** The code of the `clientError` of a connection whose bodies come in too many small pieces. */
export const SMALL_PIECES = 'ERR_SMALL_PIECES';

/** How many pieces each connection may still send. */
const credits = new AttachedValue<{ left: number }>();

/**
 * Takes the body of a request from the parser. A chunk costs a microsecond and hundreds of bytes of memory, even if it
 * holds a single byte. So small ones are gathered into blocks, a connection is read once in a turn of the event loop,
 * together with few others that send small pieces, and those that send too many are refused.
 */
export class BodyIntake implements Intake {
  /** Small pieces that are still to be passed on: the only one, or the block that holds them. */
  private held: Buffer = Buffer.alloc(0);
  private heldBytes = 0;
  private isPaused = false;
  private wantsMore = false;
  private isRefused = false;
  /** How many came since the last turn: a sign of what the next read will cost. */
  private pieces = 0;

  constructor(private readonly stream: BodyStream) {
    creditOf(stream.socket).left += BODY_PIECES.perRequest;
  }

  take(piece: Buffer | null): boolean {
    if (this.isRefused) return false;
    if (piece === null) {
      this.passOnHeld();
      turns.leave(this);
      return this.stream.passOn(null);
    }
    if (!isAffordable(this.stream.socket, piece.length)) {
      this.refuse();
      return false;
    }
    this.pieces += 1;
    const isFirst = !this.isPaused;
    this.isPaused = true;
    turns.enter(this);
    if (piece.length < LARGE_PIECE_BYTES) {
      this.hold(piece);
      return isFirst;
    }
    this.passOnHeld();
    return this.stream.passOn(piece) && isFirst;
  }

  defersRead(): boolean {
    this.wantsMore ||= this.isPaused;
    return this.isPaused;
  }

  /** Passes on what came since the last turn, and lets more be read. @returns how many pieces came */
  takeTurn(): number {
    const { pieces } = this;
    this.pieces = 0;
    this.isPaused = false;
    this.passOnHeld();
    if (this.wantsMore) this.stream.readOn();
    this.wantsMore = false;
    return pieces;
  }

  private hold(piece: Buffer): void {
    if (this.heldBytes + piece.length > BLOCK_BYTES) this.passOnHeld();
    if (this.heldBytes === 0) {
      this.held = piece;
    } else {
      const bytes = this.heldBytes + piece.length;
      const room = bytes > FIRST_BLOCK_BYTES ? BLOCK_BYTES : FIRST_BLOCK_BYTES;
      if (this.held.length < room) this.held = blockWith(this.held, room);
      piece.copy(this.held, this.heldBytes);
    }
    this.heldBytes += piece.length;
  }

  private passOnHeld(): void {
    if (this.heldBytes === 0) return;
    const block = this.held.subarray(0, this.heldBytes);
    this.heldBytes = 0;
    this.stream.passOn(block);
  }

  private refuse(): void {
    const { socket } = this.stream;
    this.isRefused = true;
    this.heldBytes = 0;
    turns.leave(this);
    stopParsing(socket);
    exceededBudgets.inc({ budget: 'body_pieces' });
    const error = new Error('The body came in too many small pieces');
    serverOf(socket).emit('clientError', Object.assign(error, { code: SMALL_PIECES }), socket);
  }
}

/** Gives the bodies that come in pieces their turns. */
class Turns {
  private readonly waiting = new Set<BodyIntake>();
  private next: NodeJS.Immediate | undefined;

  enter(intake: BodyIntake): void {
    this.waiting.add(intake);
    this.next ??= setImmediate(() => this.run());
  }

  leave(intake: BodyIntake): void {
    this.waiting.delete(intake);
  }

  private run(): void {
    this.next = undefined;
    let pieces = 0;
    for (const intake of this.waiting) {
      if (pieces >= PIECES_PER_TURN) break;
      this.waiting.delete(intake);
      pieces += intake.takeTurn();
    }
    if (this.waiting.size > 0) this.next ??= setImmediate(() => this.run());
  }
}

const turns = new Turns();

function blockWith(first: Buffer, bytes: number): Buffer {
  const block = Buffer.allocUnsafeSlow(bytes);
  first.copy(block);
  return block;
}

/** Charges a connection for a piece. @returns whether it may send this one */
function isAffordable(socket: Socket, bytes: number): boolean {
  const credit = creditOf(socket);
  credit.left = Math.min(BODY_PIECES.count, credit.left + bytes / BODY_PIECES.averageBytes) - 1;
  return credit.left >= 0;
}

function creditOf(socket: Socket): { left: number } {
  let credit = credits.get(socket);
  if (credit === undefined) {
    credit = { left: BODY_PIECES.count };
    credits.set(socket, credit);
  }
  return credit;
}
