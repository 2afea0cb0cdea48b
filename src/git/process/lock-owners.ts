import { hostname } from 'node:os';

/** Names the process in the lock files that it creates, and says which of those that are named are dead. */
export interface LockOwners {
  /** Equal for processes that see each other's process ids. */
  readonly machine: string;
  /** Returns the name of this process, without spaces; null when others cannot find out whether it is dead. */
  current(): string | null;
  /** Returns whether a process has lost what it had locked under that name. */
  isOver(name: string): Promise<boolean>;
}

/** Processes are known by their ids alone. */
export const UNNAMED: LockOwners = {
  machine: hostname(),
  current: () => null,
  isOver: () => Promise.resolve(false),
};
