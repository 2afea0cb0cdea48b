import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { assertValid, invalidFields, notFound } from '../../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../../platform/pagination/index.js';
import { AuditLog } from '../../../audit/index.js';
import { emailProblems } from '../../model/user.rules.js';
import { UsersRepository } from '../../model/users.repository.js';
import { OwnedRecordsService } from '../owned-records.js';
import type { Email } from '../../model/user.entity.js';
import { type Address, EmailsRepository } from './emails.repository.js';

/** Secondary e-mail addresses of accounts. */
@Injectable()
export class EmailsService extends OwnedRecordsService<Email> {
  constructor(
    private readonly work: UnitOfWork,
    private readonly emails: EmailsRepository,
    private readonly audit: AuditLog,
    users: UsersRepository,
  ) {
    super(users, emails, 'email');
  }

  /**
   * Lists all addresses of an account, the primary one first, then the oldest.
   * @throws DomainError not found: there is no such account
   */
  async listAddresses(userId: number, request: PageRequest): Promise<Page<Address>> {
    const page = await this.emails.listAddresses(userId, request);
    if (page.total === 0) throw notFound('user');
    return page;
  }

  /** @throws DomainError not found: there is no such account; invalid fields */
  add(userId: number, given: string): Promise<Email> {
    const email = given.toLowerCase();
    return this.work.run(async () => {
      if ((await this.users.hold(userId)) === null) throw notFound('user');
      assertValid({ email: emailProblems(email) });
      if ((await this.emails.claimAddress(email)) !== null) {
        throw invalidFields({ email: [{ rule: 'taken' }] });
      }
      const added = await this.emails.insert({ userId, email });
      await this.record('email.added', added);
      return added;
    });
  }

  override removeIfPresent(userId: number, id: number): Promise<Email | null> {
    return this.work.run(async () => {
      const removed = await super.removeIfPresent(userId, id);
      if (removed !== null) await this.record('email.removed', removed);
      return removed;
    });
  }

  /** Without the address: the audit log outlives the account. */
  private async record(
    action: 'email.added' | 'email.removed',
    { id, userId }: Email,
  ): Promise<void> {
    const target = { type: 'email', id } as const;
    await this.audit.record({ action, target, details: { user_id: userId } });
  }
}
