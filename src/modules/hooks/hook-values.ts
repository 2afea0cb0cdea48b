import type { Secrets } from '../../platform/secrets/index.js';
import { haveSameOrigin, storedAddress } from './hook-address.js';
import type { Hook } from './hook.entity.js';

/** What a project's hook can be told to listen to. */
export const HOOK_FLAGS = [
  'pushEvents',
  'issuesEvents',
  'mergeRequestsEvents',
  'tagPushEvents',
  'noteEvents',
  'buildEvents',
  'pipelineEvents',
  'wikiPageEvents',
] as const;

export type HookFlag = (typeof HOOK_FLAGS)[number];

/** What is given of a hook; the rest is as it was, or as by default. */
export interface HookInput extends Partial<Record<HookFlag, boolean | undefined>> {
  url: string;
  enableSslVerification?: boolean | undefined;
  /** Null takes it away. */
  token?: string | null | undefined;
}

/**
 * The columns to be written, with the secrets sealed. Secrets stay with the server that they were given
 * for: without a new one, the token is dropped when the URL's scheme, host or port change.
 * @param before the hook that is changed; null for a new one
 */
export function hookValues(
  { token, url, ...given }: HookInput,
  secrets: Secrets,
  before: Hook | null,
): Partial<Hook> {
  const flags = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(flags),
    ...storedAddress(url, secrets, before),
    ...tokenValue(token, secrets, before === null || haveSameOrigin(before.url, url)),
  };
}

function tokenValue(
  token: HookInput['token'],
  secrets: Secrets,
  staysByDefault: boolean,
): Partial<Hook> {
  if (token === undefined) return staysByDefault ? {} : { tokenSealed: null };
  return { tokenSealed: token === null ? null : secrets.seal(token) };
}
