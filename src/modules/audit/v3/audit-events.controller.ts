import { Get, Query } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { invalidParameter } from '../../../platform/errors/index.js';
import {
  AnswersList,
  EnumParam,
  GivenWith,
  IdParam,
  PageQuery,
  StringParam,
  TimestampParam,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Requires } from '../../authorization/index.js';
import { AuditEventsService } from '../audit-events.service.js';
import { presentAuditEvent } from './audit-event.presenter.js';
import { AuditEventView } from './audit-event.view.js';
import {
  AUDIT_ACTIONS,
  AUDIT_TARGETS,
  type AuditAction,
  type AuditTargetType,
} from '../model/audit-actions.js';
import type { AuditFilters } from '../model/audit-events.query.js';
import { toInet } from '../recording/audit-origin.js';

/** `GET /audit_events` */
@GivenWith('target_id', 'target_type')
class ListAuditEventsDto extends PageQuery {
  @IdParam({ description: 'The account that acted.' })
  author_id?: number;

  @EnumParam(AUDIT_ACTIONS)
  action?: AuditAction;

  @EnumParam(AUDIT_TARGETS)
  target_type?: AuditTargetType;

  @IdParam({ description: 'Only together with `target_type`.' })
  target_id?: number;

  @IdParam({ description: 'What was done in a project, or to it.' })
  project_id?: number;

  @IdParam({ description: 'What was done in a group, or to it.' })
  group_id?: number;

  @StringParam({ blank: 'absent', description: 'The address of the client.' })
  ip?: string;

  @TimestampParam({ description: 'At this time or later.' })
  created_after?: Date;

  @TimestampParam({ description: 'Before this time.' })
  created_before?: Date;
}

@V3Controller('audit_events', 'AuditEvents')
export class AuditEventsController {
  constructor(private readonly events: AuditEventsService) {}

  /** The entries of the audit log, newest first. */
  @Get()
  @Requires('audit-event:read')
  @AnswersList(AuditEventView)
  async list(@Query() query: ListAuditEventsDto): Promise<Page<AuditEventView>> {
    return mapPage(await this.events.list(toAuditFilters(query), query), presentAuditEvent);
  }
}

/** @throws DomainError when the address is none */
function toAuditFilters(query: ListAuditEventsDto): AuditFilters {
  const ip = query.ip === undefined ? undefined : toInet(query.ip);
  if (ip === null) throw invalidParameter('ip is invalid');
  return {
    authorId: query.author_id,
    action: query.action,
    targetType: query.target_type,
    targetId: query.target_id,
    projectId: query.project_id,
    groupId: query.group_id,
    ip,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
  };
}
