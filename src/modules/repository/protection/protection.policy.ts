import { type Ability } from '../../access/index.js';
import type { ProtectedBranch } from './protected-branch.entity.js';

export type ProtectionRule = Pick<
  ProtectedBranch,
  'name' | 'developersCanPush' | 'developersCanMerge'
>;

/** What the rules say of one branch (docs/reference/branches.md#the-branch-object). */
export interface BranchProtection {
  protected: boolean;
  developersCanPush: boolean;
  developersCanMerge: boolean;
}

/** Several matching rules: any one that allows suffices (docs/reference/branches.md#protected-branches). */
export function protectionOf(branch: string, rules: readonly ProtectionRule[]): BranchProtection {
  const matching = rules.filter(({ name }) => matches(name, branch));
  return {
    protected: matching.length > 0,
    developersCanPush: matching.some(({ developersCanPush }) => developersCanPush),
    developersCanMerge: matching.some(({ developersCanMerge }) => developersCanMerge),
  };
}

/** The ability that pushing to a branch takes. */
export function abilityToPush({
  protected: isProtected,
  developersCanPush,
}: BranchProtection): Ability {
  return isProtected && !developersCanPush ? 'branch:push-protected' : 'code:push';
}

/** The ability that accepting a merge request into a branch takes: whoever may push may merge as well. */
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

/** An exact name, or a pattern in which `*` stands for any run of characters. */
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
