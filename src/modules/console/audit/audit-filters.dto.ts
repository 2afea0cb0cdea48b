import {
  EnumParam,
  IdParam,
  PageQuery,
  StringParam,
  TimestampParam,
} from '../../../platform/http/index.js';
import {
  AUDIT_ACTIONS,
  AUDIT_TARGETS,
  type AuditAction,
  type AuditTargetType,
} from '../../audit/index.js';

/** Forms send an empty value where nothing is chosen. */
const NOTHING = '' as const;

/** The form above the list of entries. */
export class AuditFiltersDto extends PageQuery {
  /** A user name, or the ID of an account, which a deleted one still has. */
  @StringParam({ blank: 'absent', maxLength: 255 })
  author?: string;

  @EnumParam([NOTHING, ...AUDIT_ACTIONS])
  action?: AuditAction | typeof NOTHING;

  @EnumParam([NOTHING, ...AUDIT_TARGETS])
  target?: AuditTargetType | typeof NOTHING;

  @IdParam()
  target_id?: number;

  @StringParam({ blank: 'absent', maxLength: 64 })
  address?: string;

  /** Without a time zone it is UTC. */
  @TimestampParam()
  from?: Date;

  @TimestampParam()
  to?: Date;
}
