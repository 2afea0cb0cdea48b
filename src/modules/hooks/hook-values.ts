import type { Secrets } from '../../platform/secrets/index.js';
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

/** The columns that are given, the token sealed. */
export function hookValues({ token, ...given }: HookInput, secrets: Secrets): Partial<Hook> {
  const values = Object.entries(given).filter(([, value]) => value !== undefined);
  if (token === undefined) return Object.fromEntries(values);
  const tokenSealed = token === null ? null : secrets.seal(token);
  return { ...Object.fromEntries(values), tokenSealed };
}
