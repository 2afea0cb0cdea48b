import { EnumParam, IdParam, StringParam, TimestampParam } from '../../../platform/http/index.js';
import {
  DELIVERY_STATES,
  type DeliveryPosition,
  type DeliveryState,
  type HookKind,
  PROJECT_HOOK_KINDS,
  SYSTEM_HOOK_KINDS,
} from '../../hooks/index.js';

/** The kinds of events of all hooks. */
export const KINDS: readonly HookKind[] = [
  ...new Set([...PROJECT_HOOK_KINDS, ...SYSTEM_HOOK_KINDS]),
];

/** Forms send an empty value where nothing is chosen. */
const NOTHING = '' as const;

/** The form above the list of deliveries. */
export class DeliveryFiltersDto {
  @EnumParam([NOTHING, ...DELIVERY_STATES])
  state?: DeliveryState | typeof NOTHING;

  @EnumParam([NOTHING, ...KINDS])
  event?: HookKind | typeof NOTHING;

  @IdParam()
  hook?: number;

  /** Its path with that of its namespace, or its ID. */
  @StringParam({ blank: 'absent', maxLength: 512 })
  project?: string;

  /** Without a time zone it is UTC. */
  @TimestampParam()
  from?: Date;

  @TimestampParam()
  to?: Date;

  /** The end of the page before, as `formatPosition` writes it. */
  @StringParam({ blank: 'absent', maxLength: 64 })
  after?: string;
}

const POSITION = /^(\d{1,15})-(\d{1,18})$/;

export const formatPosition = ({ createdAt, id }: DeliveryPosition): string =>
  `${String(createdAt.getTime())}-${id}`;

/** Undefined for what `formatPosition` has not written: the list then begins with the newest. */
export function parsePosition(text: string | undefined): DeliveryPosition | undefined {
  const [, ms, id] = POSITION.exec(text ?? '') ?? [];
  return ms === undefined || id === undefined ? undefined : { createdAt: new Date(Number(ms)), id };
}
