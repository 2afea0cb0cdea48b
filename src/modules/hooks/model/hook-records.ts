import type { AuditAction, AuditRecord } from '../../audit/index.js';
import {
  type Hook,
  HOOK_KINDS,
  type HookFlag,
  PROJECT_HOOK_KINDS,
  type ProjectHookKind,
} from './hook.entity.js';
import type { EnabledHook } from '../hooks.repository.js';

// What the audit log says about hooks. Of the URL it is the host alone: the rest may be a secret, as it is in the
// addresses that chat services give out.

export function hookAdded(hook: Hook): AuditRecord {
  return { ...recordOf('hook.added', hook), details: { events: eventsOf(hook) } };
}

export function hookUpdated(before: Hook, after: Hook): AuditRecord {
  return {
    ...recordOf('hook.updated', after),
    details: {
      events: eventsOf(after),
      url_changed: after.url !== before.url || after.passwordSealed !== before.passwordSealed,
      token_changed: after.tokenSealed !== before.tokenSealed,
      enable_ssl_verification: after.enableSslVerification,
      ...(after.customHeadersSealed === before.customHeadersSealed
        ? {}
        : { custom_headers: after.customHeaderNames }),
      ...(after.apiVersion === before.apiVersion ? {} : { api_version: after.apiVersion }),
    },
  };
}

/** Of a hook that a delivery has enabled again. A changed hook has `hook.updated`. */
export function hookEnabled(hook: EnabledHook): AuditRecord {
  return { ...recordOf('hook.enabled', hook), details: { disabled_reason: hook.disabledReason } };
}

export function hookRemoved(hook: Hook): AuditRecord {
  return recordOf('hook.removed', hook);
}

function recordOf(
  action: AuditAction,
  { id, url, projectId }: Pick<Hook, 'id' | 'url' | 'projectId'>,
): AuditRecord {
  return { action, target: { type: 'hook', id, name: new URL(url).host }, projectId };
}

/** The kinds of events that a hook subscribes to. */
function eventsOf(hook: Hook): string[] {
  return PROJECT_HOOK_KINDS.filter((kind) => hook[flagOf(kind)]);
}

function flagOf(kind: ProjectHookKind): HookFlag {
  return HOOK_KINDS[kind].replace(/_([a-z])/g, (_, letter: string) =>
    letter.toUpperCase(),
  ) as HookFlag;
}
