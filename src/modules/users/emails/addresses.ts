import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';

/** Any number, the same in every process: the class of the locks on single addresses. */
const ADDRESS_LOCKS = 7_265_003;

/** Where an address stands. */
export interface AddressUse {
  userId: number;
  /** The row of `emails`; null for a primary address. */
  emailId: number | null;
}

const USE = `
  SELECT id AS "userId", NULL::int AS "emailId" FROM users
   WHERE email = $1 AND deleted_at IS NULL AND NOT ghost
  UNION ALL
  SELECT user_id, id FROM emails WHERE email = $1`;

/** Keeps each address with one account at most, be it as primary or as secondary one (5.15). */
@Injectable()
export class Addresses {
  constructor(private readonly database: Database) {}

  /**
   * Where the address stands now, null when it is free. Until the unit of work ends everybody else
   * who asks for the same address waits here: two tables know no common unique index.
   * @param address in lower case
   */
  async claim(address: string): Promise<AddressUse | null> {
    await this.database.rows('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
      ADDRESS_LOCKS,
      address,
    ]);
    const [use] = await this.database.rows<AddressUse>(USE, [address]);
    return use ?? null;
  }

  /** Puts another address in the place of a secondary one. */
  async replace(emailId: number, address: string): Promise<void> {
    await this.database.rows('UPDATE emails SET email = $2 WHERE id = $1', [emailId, address]);
  }
}
