/**
 * A change under which statements of an earlier version could fail, and why it may be made
 * (CONTRIBUTING.md#changing-the-schema).
 */
export type ContractStep = { migration: string; change: string } & (
  | { /** The release that stopped using it. */ unusedSince: string }
  | { /** Why statements of the release before succeed all the same. */ harmless: string }
);

export const CONTRACT_STEPS: readonly ContractStep[] = [];
