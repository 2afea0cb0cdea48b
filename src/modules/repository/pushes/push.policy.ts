import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  BRANCH_PREFIX,
  looksLikeHash,
  type RefUpdate,
  TAG_PREFIX,
  ZERO_OID,
} from '../../../git/index.js';
import { allows, type ProjectAccess } from '../../authorization/index.js';
import {
  abilityToMerge,
  abilityToPush,
  type ProtectionRule,
  ProtectionRules,
} from '../protection/protection.policy.js';

/** The texts that git shows its user (docs/reference/git.md#refusals). */
export const REFUSAL = {
  push: 'You are not allowed to push code to this project.',
  protectedPush: 'You are not allowed to push code to protected branches on this project.',
  forcePush: 'You are not allowed to force push code to a protected branch on this project.',
  deleteProtected: 'You are not allowed to delete protected branches from this project.',
  changeTag: 'You are not allowed to change existing tags on this project.',
  notShown: 'The storage does not show the last push yet. Try again later.',
  name: 'The name of a branch or tag cannot be HEAD and cannot begin with "-".',
  hash: 'The name of a branch or tag cannot have the form of a hash.',
} as const;

/** After so many refs, other work has its turn: 1,000 patterns for each take some 0.1 ms. */
const REFS_PER_STEP = 100;

export interface PushConditions {
  access: ProjectAccess;
  rules: readonly ProtectionRule[];
  /**
   * Whether only masters may push, since the repository is empty
   * (docs/reference/branches.md#default-branch-protection).
   */
  mastersOnly: boolean;
  /** Whether the push accepts a merge request, which may require less than other pushes. */
  isMerge?: boolean;
  /**
   * Whether deleting a tag requires no more than creating one, as in the API
   * (docs/reference/tags.md#endpoints).
   */
  mayDeleteTags?: boolean;
  /** Whether an update is forced: the new value lacks commits of the old one. None is when absent. */
  isForced?: (update: RefUpdate) => Promise<boolean>;
}

/** Returns the reason for each refused ref; empty when all updates are allowed. */
export async function refusals(
  updates: readonly RefUpdate[],
  conditions: PushConditions,
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  const rules = new ProtectionRules(conditions.rules);
  for (const [index, update] of updates.entries()) {
    const reason = await refusal(update, conditions, rules);
    if (reason !== null) reasons.set(update.ref, reason);
    if ((index + 1) % REFS_PER_STEP === 0) await nextTurn();
  }
  return reasons;
}

async function refusal(
  update: RefUpdate,
  conditions: PushConditions,
  rules: ProtectionRules,
): Promise<string | null> {
  const { access, mastersOnly } = conditions;
  const ability = mastersOnly ? 'branch:push-protected' : 'code:push';
  if (access.project.archived || !allows(access, ability)) return REFUSAL.push;
  const name = shortNameOf(update.ref);
  // Deleting is allowed, since older versions accepted such names.
  if (update.newOid !== ZERO_OID && isMisnamed(name)) return REFUSAL.name;
  if (update.oldOid === ZERO_OID && looksLikeHash(name)) return REFUSAL.hash;
  if (update.ref.startsWith(TAG_PREFIX)) return tagRefusal(update, conditions);
  if (update.ref.startsWith(BRANCH_PREFIX)) return branchRefusal(update, conditions, rules);
  return null;
}

/** Returns the name of a branch or tag; of another ref, the empty text. */
function shortNameOf(ref: string): string {
  const prefix = [BRANCH_PREFIX, TAG_PREFIX].find((start) => ref.startsWith(start));
  return prefix === undefined ? '' : ref.slice(prefix.length);
}

/** Whether git or the API could mistake the name of a branch or tag for an option or for HEAD. */
function isMisnamed(name: string): boolean {
  return name === 'HEAD' || name.startsWith('-');
}

function tagRefusal(
  { oldOid, newOid }: RefUpdate,
  { access, mayDeleteTags = false }: PushConditions,
): string | null {
  if (oldOid === ZERO_OID || (mayDeleteTags && newOid === ZERO_OID)) return null;
  return allows(access, 'tag:change') ? null : REFUSAL.changeTag;
}

async function branchRefusal(
  update: RefUpdate,
  { access, isForced, isMerge = false }: PushConditions,
  rules: ProtectionRules,
): Promise<string | null> {
  const protection = rules.find(update.ref.slice(BRANCH_PREFIX.length));
  if (!protection.protected) return null;
  if (update.newOid === ZERO_OID) return REFUSAL.deleteProtected;
  const ability = isMerge ? abilityToMerge(protection) : abilityToPush(protection);
  if (!allows(access, ability)) return REFUSAL.protectedPush;
  if (update.oldOid !== ZERO_OID && (await isForced?.(update))) return REFUSAL.forcePush;
  return null;
}
