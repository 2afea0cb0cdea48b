import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { OwnedRecordsRepository } from '../owned-records.repository.js';
import { Email } from './email.entity.js';

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
}
