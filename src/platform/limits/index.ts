// Budgets: the most that one request, push, text or client may cost. Each has its default here, an
// environment variable where operators need one, and a line in docs/operations.md.
export { AccessRecheck } from './access-recheck.js';
export * from './budgets.js';
export { clientNetwork } from './client-network.js';
export { FairSlots, type ReleaseSlot, type SlotCaller, SlotsTakenError } from './fair-slots.js';
