import type { AuditEventView } from './audit-event.view.js';
import type { AuditEvent } from '../model/audit-event.entity.js';

export function presentAuditEvent(event: AuditEvent): AuditEventView {
  return {
    id: Number(event.id),
    created_at: event.createdAt,
    action: event.action,
    author_id: event.authorId,
    author_name: event.authorName,
    administrator_id: event.administratorId,
    administrator_name: event.administratorName,
    target_type: event.targetType,
    target_id: event.targetId,
    target_name: event.targetName,
    project_id: event.projectId,
    group_id: event.groupId,
    ip: event.ip,
    request_id: event.requestId,
    details: event.details,
  };
}
