import { Injectable } from '@nestjs/common';
import { Database, rowById } from '../../../../platform/database/index.js';
import {
  boundedCount,
  Page,
  type PageRequest,
  windowOf,
} from '../../../../platform/pagination/index.js';
import { livingUser } from '../../../authorization/index.js';
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

/** An address of an account, primary or secondary. */
export interface Address {
  /** Of the row of `emails`; 0 for a primary address. */
  id: number;
  email: string;
  confirmedAt: Date | null;
}

/** Secondary addresses need no confirmation. */
export const addressOf = ({ id, email, createdAt }: Email): Address => ({
  id,
  email,
  confirmedAt: createdAt,
});

/** @param secondary which of the secondary addresses: an order and a limit */
const addresses = (secondary = ''): string => `
  SELECT 0 AS id, u.email, u.confirmed_at AS "confirmedAt"
    FROM ${rowById('users', '$1')} u WHERE ${livingUser('u')}
  UNION ALL
  (SELECT id, email, created_at FROM emails WHERE user_id = $1 ${secondary})`;

const PAGE_OF_ADDRESSES = `
  ${addresses('ORDER BY id LIMIT $2::bigint + $3::bigint')} ORDER BY id LIMIT $2 OFFSET $3`;

const FIND_USE = `
  SELECT u.id AS "userId", NULL::int AS "emailId" FROM ${userByEmail('$1')} u
  UNION ALL
  SELECT user_id, id FROM emails WHERE email = $1`;

@Injectable()
export class EmailsRepository extends OwnedRecordsRepository<Email> {
  constructor(database: Database) {
    super(database, Email, 'emails');
  }

  /** Lists all addresses of an account, the primary one first; none for an account that does not exist. */
  async listAddresses(userId: number, request: PageRequest): Promise<Page<Address>> {
    const { limit, offset } = windowOf(request);
    const rows = await this.database.rows<Address>(PAGE_OF_ADDRESSES, [userId, limit, offset]);
    const counted = await boundedCount(this.database, addresses(), [userId]);
    return Page.cut(rows, counted, request);
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
