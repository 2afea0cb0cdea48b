import type { Permission } from '../../../src/modules/authorization/index.js';
import { atLines } from '../../support/at-lines.js';

/** Everybody who can call, by what sets them apart on a project or group; the first ones by ascending rights. */
export const CALLERS = [
  'anonymous',
  'non-member',
  'guest',
  'reporter',
  'developer',
  'master',
  'owner',
  'admin',
  'blocked',
  'external',
  'external-member',
  'former-member',
] as const;

export type Caller = (typeof CALLERS)[number];

export const VISIBILITIES = ['private', 'internal', 'public'] as const;

export type Visibility = (typeof VISIBILITIES)[number];

/**
 * The levels of members (docs/reference/members.md#access-levels). A blocked member has none, nor does one whose
 * membership has expired.
 */
export const LEVELS: Readonly<Partial<Record<Caller, number>>> = {
  guest: 10,
  reporter: 20,
  developer: 30,
  master: 40,
  owner: 50,
  'external-member': 30,
};

const EXTERNAL: readonly Caller[] = ['external', 'external-member'];

/** A share with masters' access gives no more than that. */
export const SHARED_LEVEL = 40;

/** What the table says of one call: it gets through, or the status it is refused with. */
export type Expectation = 'allowed' | 401 | 403 | 404;

export interface Situation {
  readonly caller: Caller;
  /** Of the project or group that the path names. */
  readonly visibility: Visibility;
  /** The membership comes through a share with a group. */
  readonly shared?: boolean;
}

/**
 * Reads the permission table by docs/reference/members.md#access-levels and
 * docs/reference/authentication.md#what-a-caller-may-do, on purpose without any code of the
 * service: the two must come to the same result.
 */
export function expectationOf(permission: Permission, situation: Situation): Expectation {
  const { caller, visibility } = situation;
  const isKnown = caller !== 'anonymous' && caller !== 'blocked';
  switch (permission.scope) {
    case 'anyone':
    case 'open':
      return 'allowed';
    case 'user':
      return isKnown ? 'allowed' : 401;
    case 'admin':
      return isKnown ? (caller === 'admin' ? 'allowed' : 403) : 401;
    case 'project':
    case 'group': {
      if (!isKnown && !permission.open) return 401;
      if (!isKnown) return visibility === 'public' ? 'allowed' : 404;
      if (caller === 'admin') return 'allowed';
      if (permission.adminOnly) return 403;
      return expectationOfUser(permission, situation);
    }
  }
}

function expectationOfUser(
  { least, visitor }: { least: number; visitor: boolean },
  { caller, visibility, shared = false }: Situation,
): Expectation {
  const level = Math.min(LEVELS[caller] ?? 0, shared ? SHARED_LEVEL : Infinity);
  const showsToAll =
    visibility === 'public' || (visibility === 'internal' && !EXTERNAL.includes(caller));
  if (level === 0 && !showsToAll) return 404;
  return level >= least || (visitor && showsToAll) ? 'allowed' : 403;
}

/** By ascending rights. */
const ASCENDING = CALLERS.slice(0, CALLERS.indexOf('admin') + 1);

/** The weakest callers that are admitted, the strongest that are refused, and an external one where that differs. */
export function callersAtLines(
  permission: Permission,
  situation: Omit<Situation, 'caller'>,
): Caller[] {
  const found = atLines(ASCENDING, (caller) => expectationOf(permission, { ...situation, caller }));
  return situation.visibility === 'internal' ? [...found, 'external'] : found;
}
