import {
  BooleanParam,
  EnumParam,
  ObjectListParam,
  StringParam,
} from '../../../platform/http/index.js';
import {
  BRANCH_FILTER_STRATEGIES,
  type BranchFilterStrategy,
  isBranchFilter,
} from '../model/branch-filter.js';
import { isCustomHeader } from '../model/custom-headers.js';
import type { HookChanges } from '../model/hook-secrets.js';
import { invalidHookSetting } from '../model/refusals.js';
import type { Hook } from '../model/hook.entity.js';

/** A custom header or a URL variable. */
class V4NamedValueDto {
  @StringParam({ required: true, maxLength: 255 })
  key!: string;

  @StringParam({ required: true, maxLength: 2_048 })
  value!: string;
}

/** `PUT …/custom_headers/:key`. */
export class V4CustomHeaderDto {
  @StringParam({ required: true, description: 'Of at most 2,048 characters; never returned.' })
  value!: string;
}

/** The parameters that hooks of projects and of the instance share. */
export class V4HookSettingsDto {
  @StringParam({ nullable: true, emptyClears: true, maxLength: 255 })
  name?: string | null;

  @StringParam({ nullable: true, emptyClears: true, maxLength: 2_048 })
  description?: string | null;

  @BooleanParam({ description: 'Default of a new hook true.' })
  enable_ssl_verification?: boolean;

  @StringParam({
    nullable: true,
    emptyClears: true,
    maxLength: 5_000,
    description: 'The branches whose pushes are sent; all by default.',
  })
  push_events_branch_filter?: string | null;

  @EnumParam(BRANCH_FILTER_STRATEGIES, {
    description:
      'How the filter is read: with `*` for any characters (by default), as a regular expression of RE2 with at most 200 characters, or not at all.',
  })
  branch_filter_strategy?: BranchFilterStrategy;

  @ObjectListParam(V4NamedValueDto, {
    description:
      'Headers to send, each with `key` and `value`, at most 20. They are added to those that there are; the values are never returned.',
  })
  custom_headers?: V4NamedValueDto[];

  @ObjectListParam(V4NamedValueDto, {
    description:
      'What stands for each `{key}` in path and query of the URL, each with `key` and `value`, at most 20; the values are never returned.',
  })
  url_variables?: V4NamedValueDto[];

  @StringParam({
    nullable: true,
    emptyClears: true,
    maxLength: 1_024,
    description: 'Sent with deliveries and used to sign them; never returned.',
  })
  token?: string | null;
}

/**
 * @param before the hook that is changed
 * @throws DomainError invalid hook setting
 */
export function toV4HookSettings(
  body: V4HookSettingsDto,
  before?: Pick<Hook, 'pushEventsBranchFilter' | 'branchFilterStrategy'>,
): HookChanges {
  const { push_events_branch_filter: filter, branch_filter_strategy: strategy, token } = body;
  const wanted = {
    filter: filter === undefined ? (before?.pushEventsBranchFilter ?? null) : filter,
    strategy: strategy ?? before?.branchFilterStrategy ?? 'wildcard',
  };
  const isChanged = filter !== undefined || strategy !== undefined;
  if (isChanged && !isBranchFilter(wanted)) throw invalidHookSetting('branch-filter');
  if (typeof token === 'string' && /[\r\n]/.test(token)) throw invalidHookSetting('token');
  if (body.custom_headers?.every(isCustomHeader) === false) {
    throw invalidHookSetting('custom-headers');
  }
  return {
    name: body.name,
    description: body.description,
    enableSslVerification: body.enable_ssl_verification,
    pushEventsBranchFilter: filter,
    branchFilterStrategy: strategy,
    customHeaders: body.custom_headers,
    urlVariables: body.url_variables,
    token,
  };
}
