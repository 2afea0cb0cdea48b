import { ApiProperty } from '../../../platform/http/index.js';
import {
  AUDIT_ACTIONS,
  AUDIT_TARGETS,
  type AuditAction,
  type AuditTargetType,
} from '../model/audit-actions.js';
import type { AuditDetails } from '../model/audit-event.entity.js';

/** An entry of the audit log. */
export class AuditEventView {
  id!: number;
  created_at!: Date;
  @ApiProperty({ enum: AUDIT_ACTIONS })
  action!: AuditAction;
  /** The account that acted; null for the command line, for the system and for requests without an account. */
  author_id!: number | null;
  /** Its user name at that time; `command line`, `system` or `anonymous` without an account. */
  author_name!: string;
  /** The administrator who acted as the author by `sudo`. */
  administrator_id!: number | null;
  administrator_name!: string | null;
  @ApiProperty({ enum: AUDIT_TARGETS, nullable: true, type: String })
  target_type!: AuditTargetType | null;
  target_id!: number | null;
  target_name!: string | null;
  /** The project that it happened in. */
  project_id!: number | null;
  group_id!: number | null;
  /** The client's address; null for the command line and for the system. */
  ip!: string | null;
  /** The `X-Request-Id` of the request. */
  request_id!: string | null;
  /** Depends on the action. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  details!: AuditDetails;
}
