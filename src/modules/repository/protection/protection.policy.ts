import { type Ability } from '../../authorization/index.js';
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
  return new ProtectionRules(rules).find(branch);
}

/** The rules of a project, prepared for the branches of a push: it may have 10,000, and a project 1,000 rules. */
export class ProtectionRules {
  private readonly exact = new Map<string, ProtectionRule[]>();
  /** Those with `*`, by what stands before it. */
  private readonly patterns = new Map<string, ProtectionRule[]>();
  private readonly lengths: readonly number[];

  constructor(rules: readonly ProtectionRule[]) {
    for (const rule of rules) {
      const star = rule.name.indexOf('*');
      const [index, key] =
        star < 0 ? [this.exact, rule.name] : [this.patterns, rule.name.slice(0, star)];
      const others = index.get(key);
      if (others === undefined) index.set(key, [rule]);
      else others.push(rule);
    }
    this.lengths = [...new Set([...this.patterns.keys()].map(({ length }) => length))];
  }

  /** Returns the protection of a branch, by all rules that match it. */
  find(branch: string): BranchProtection {
    const candidates = this.lengths
      .filter((length) => length <= branch.length)
      .flatMap((length) => this.patterns.get(branch.slice(0, length)) ?? []);
    const matching = [
      ...(this.exact.get(branch) ?? []),
      ...candidates.filter(({ name }) => matchesWildcard(name, branch)),
    ];
    return {
      protected: matching.length > 0,
      developersCanPush: matching.some(({ developersCanPush }) => developersCanPush),
      developersCanMerge: matching.some(({ developersCanMerge }) => developersCanMerge),
    };
  }
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

/** Whether a branch matches a pattern in which `*` is any run of characters. */
export function matchesWildcard(pattern: string, branch: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return branch === pattern;
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
