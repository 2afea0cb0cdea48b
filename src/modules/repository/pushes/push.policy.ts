import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  BRANCH_PREFIX,
  looksLikeHash,
  type RefUpdate,
  TAG_PREFIX,
  ZERO_OID,
} from '../../../git/index.js';
import { allows, type ProjectAccess } from '../../authorization/index.js';
import type { RefProblem } from '../shared/refusals.js';
import {
  abilityToMerge,
  abilityToPush,
  type ProtectionRule,
  ProtectionRules,
} from '../protection/protection.policy.js';

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
  /** Whether a deploy key pushes, to which protected branches are closed. */
  isDeployKey?: boolean | undefined;
  /**
   * Whether deleting a tag requires no more than creating one, as in the API
   * (docs/reference/tags.md#endpoints).
   */
  mayDeleteTags?: boolean;
  /** Whether an update is forced: the new value lacks commits of the old one. None is when absent. */
  isForced?: (update: RefUpdate) => Promise<boolean>;
}

/** Returns what forbids each refused update, by its ref; empty when all are allowed. */
export async function refProblems(
  updates: readonly RefUpdate[],
  conditions: PushConditions,
): Promise<Map<string, RefProblem>> {
  const problems = new Map<string, RefProblem>();
  const rules = new ProtectionRules(conditions.rules);
  for (const [index, update] of updates.entries()) {
    const problem = await refProblem(update, conditions, rules);
    if (problem !== null) problems.set(update.ref, problem);
    if ((index + 1) % REFS_PER_STEP === 0) await nextTurn();
  }
  return problems;
}

async function refProblem(
  update: RefUpdate,
  conditions: PushConditions,
  rules: ProtectionRules,
): Promise<RefProblem | null> {
  const { access, mastersOnly } = conditions;
  const ability = mastersOnly ? 'branch:push-protected' : 'code:push';
  if (access.project.archived || !allows(access, ability)) return 'no-push-access';
  const name = shortNameOf(update.ref);
  // Deleting is allowed, since older versions accepted such names.
  if (update.newOid !== ZERO_OID && isMisnamed(name)) return 'invalid-name';
  if (update.oldOid === ZERO_OID && looksLikeHash(name)) return 'hash-as-name';
  if (update.ref.startsWith(TAG_PREFIX)) return tagProblem(update, conditions);
  if (update.ref.startsWith(BRANCH_PREFIX)) return branchProblem(update, conditions, rules);
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

function tagProblem(
  { oldOid, newOid }: RefUpdate,
  { access, mayDeleteTags = false }: PushConditions,
): RefProblem | null {
  if (oldOid === ZERO_OID || (mayDeleteTags && newOid === ZERO_OID)) return null;
  return allows(access, 'tag:change') ? null : 'tag-exists';
}

async function branchProblem(
  update: RefUpdate,
  { access, isForced, isMerge = false, isDeployKey = false }: PushConditions,
  rules: ProtectionRules,
): Promise<RefProblem | null> {
  const protection = rules.find(update.ref.slice(BRANCH_PREFIX.length));
  if (!protection.protected) return null;
  if (update.newOid === ZERO_OID) return 'protected-deleted';
  const ability = isMerge ? abilityToMerge(protection) : abilityToPush(protection);
  if (isDeployKey || !allows(access, ability)) return 'protected';
  if (update.oldOid !== ZERO_OID && (await isForced?.(update))) return 'protected-forced';
  return null;
}
