import type { DisabledReason } from '../hook.entity.js';
import type { HookKind } from '../hook-kinds.js';

/** A delivery whose turn it is, with all that an attempt needs. */
export interface DueDelivery {
  readonly id: string;
  readonly turn: number;
  readonly attempts: number;
  readonly messageId: string;
  readonly eventId: string;
  readonly kind: HookKind;
  readonly facts: object;
  /** Null as long as it was not made. */
  readonly body: string | null;
  readonly hookId: number;
  readonly projectId: number | null;
  readonly url: string;
  readonly passwordSealed: string | null;
  readonly tokenSealed: string | null;
  readonly verifiesCertificate: boolean;
  readonly isDisabled: boolean;
}

export type DeliveryTurn = Pick<DueDelivery, 'id' | 'turn'>;

/** Tells one turn of one delivery from all others. */
export const turnKey = ({ id, turn }: DeliveryTurn): string => `${id} ${String(turn)}`;

/** What follows from an attempt that failed. */
export interface Verdict {
  readonly state: 'pending' | 'failed';
  /** For pending ones, milliseconds to the next attempt. */
  readonly delayMs: number | null;
  /** Disables the hook. */
  readonly disables: DisabledReason | null;
}
