export { AuditEventsService } from './audit-events.service.js';
export { AuditModule } from './audit.module.js';
export {
  AUDIT_ACTIONS,
  AUDIT_TARGETS,
  type AuditAction,
  type AuditTargetType,
} from './model/audit-actions.js';
export { type AuditDetails, AuditEvent, type AuditValue } from './model/audit-event.entity.js';
export type { AuditFilters } from './model/audit-events.query.js';
export { AuditLog, type AuditRecord } from './recording/audit-log.repository.js';
export { auditedActions, Audits } from './recording/audits.decorator.js';
export { type SignInMethod, SignIns } from './recording/sign-ins.js';
export { toInet } from './recording/audit-origin.js';
