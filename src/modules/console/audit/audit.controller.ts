import { Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { UNKNOWN_ID } from '../../../platform/database/index.js';
import { invalidParameter } from '../../../platform/errors/index.js';
import { Callers, Requires } from '../../authorization/index.js';
import { AuditEventsService, type AuditFilters, toInet } from '../../audit/index.js';
import { OnlyAdministrators, PageController, PageSender } from '../../web/index.js';
import { AuditFiltersDto } from './audit-filters.dto.js';
import { auditPage } from './audit-page.js';

/** `/admin/audit` */
@PageController('admin/audit')
@OnlyAdministrators()
export class ConsoleAuditController {
  constructor(
    private readonly events: AuditEventsService,
    private readonly callers: Callers,
    private readonly pages: PageSender,
  ) {}

  @Get()
  @Requires('page:open')
  async list(@Query() query: AuditFiltersDto, @Res() response: Response): Promise<void> {
    const page = await this.events.list(await this.filtersOf(query), query);
    this.pages.send(response, auditPage(query, page));
  }

  /** @throws DomainError when the address is none */
  private async filtersOf(query: AuditFiltersDto): Promise<AuditFilters> {
    const ip = query.address === undefined ? undefined : toInet(query.address.trim());
    if (ip === null) throw invalidParameter('address is invalid');
    return {
      authorId: query.author === undefined ? undefined : await this.idOf(query.author.trim()),
      action: query.action === '' ? undefined : query.action,
      targetType: query.target === '' ? undefined : query.target,
      targetId: query.target_id,
      ip,
      createdAfter: query.from,
      createdBefore: query.to,
    };
  }

  private async idOf(author: string): Promise<number> {
    if (/^\d{1,9}$/.test(author)) return Number(author);
    return (await this.callers.findByIdOrUsername(author))?.id ?? UNKNOWN_ID;
  }
}
