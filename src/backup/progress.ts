/** Reports that a part of a task is done: 1, or the given number, of the total. */
export type Advance = (count?: number) => void;

/** Shows how far a task is. */
export interface Progress {
  progress<T>(title: string, total: number, work: (advance: Advance) => Promise<T>): Promise<T>;
}
