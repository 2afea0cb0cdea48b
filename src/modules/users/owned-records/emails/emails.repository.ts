import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/index.js';
import { OwnedRecordsRepository } from '../owned-records.js';
import { Email } from '../../model/user.entity.js';
import { userByEmail } from '../../model/users.sql.js';

/** Class of the advisory locks on single addresses: any number, the same in every process. */
const ADDRESS_LOCKS = 7_265_003;

/** The account that has an address. */
export interface AddressUse {
  userId: number;
  /** The row of `emails`; null for a primary address. */
  emailId: number | null;
}

const FIND_USE = `
  SELECT u.id AS "userId", NULL::int AS "emailId" FROM ${userByEmail('$1')} u
  UNION ALL
  SELECT user_id, id FROM emails WHERE email = $1`;

@Injectable()
export class EmailsRepository extends OwnedRecordsRepository<Email> {
  constructor(database: Database) {
    super(database, Email);
  }

  async insert(email: Pick<Email, 'userId' | 'email'>): Promise<Email> {
    const emails = this.database.of(Email);
    const { identifiers } = await emails.insert(email);
    return emails.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  /**
   * Locks an address to the end of the unit of work and returns its use, null when it is free. Addresses
   * are unique over primary and secondary ones, and no unique index spans both tables.
   * @param address in lower case
   */
  async claimAddress(address: string): Promise<AddressUse | null> {
    await this.database.rows('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
      ADDRESS_LOCKS,
      address,
    ]);
    const [use] = await this.database.rows<AddressUse>(FIND_USE, [address]);
    return use ?? null;
  }

  async replaceAddress(emailId: number, address: string): Promise<void> {
    await this.database.of(Email).update({ id: emailId }, { email: address });
  }
}
