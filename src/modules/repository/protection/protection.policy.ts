import { type Ability } from '../../access/index.js';
import type { ProtectedBranch } from './protected-branch.entity.js';

export type ProtectionRule = Pick<
  ProtectedBranch,
  'name' | 'developersCanPush' | 'developersCanMerge'
>;

/** The protection of one branch (docs/reference/branches.md#the-branch-object). */
export interface BranchProtection {
  protected: boolean;
  developersCanPush: boolean;
  developersCanMerge: boolean;
}

/** Combines all rules that match a branch: a flag of any of them applies (docs/reference/branches.md#protected-branches). */
export function protectionOf(branch: string, rules: readonly ProtectionRule[]): BranchProtection {
  const matching = rules.filter(({ name }) => matches(name, branch));
  return {
    protected: matching.length > 0,
    developersCanPush: matching.some(({ developersCanPush }) => developersCanPush),
    developersCanMerge: matching.some(({ developersCanMerge }) => developersCanMerge),
  };
}

/** Returns the ability that pushing to a branch requires. */
export function abilityToPush({
  protected: isProtected,
  developersCanPush,
}: BranchProtection): Ability {
  return isProtected && !developersCanPush ? 'branch:push-protected' : 'code:push';
}

/** Returns the ability that accepting a merge request into a branch requires: users who may push may merge. */
export function abilityToMerge({
  developersCanMerge,
  developersCanPush,
  ...branch
}: BranchProtection): Ability {
  return abilityToPush({
    ...branch,
    developersCanMerge,
    developersCanPush: developersCanPush || developersCanMerge,
  });
}

/** Whether a branch has this name, or matches it as a pattern in which `*` is any run of characters. */
function matches(pattern: string, branch: string): boolean {
  if (!pattern.includes('*')) return pattern === branch;
  const [first = '', ...rest] = pattern.split('*');
  if (!branch.startsWith(first)) return false;
  let position = first.length;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1)
      return branch.length - part.length >= position && branch.endsWith(part);
    const found = branch.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return true;
}
