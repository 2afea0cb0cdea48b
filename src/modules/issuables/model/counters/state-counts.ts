import { Column } from 'typeorm';

/** Columns of the tables that keep numbers of issues or merge requests (docs/decisions/0042-kept-counters.md). */
export abstract class StateCounts {
  /** With confidential ones. */
  @Column({ type: 'int' })
  opened!: number;

  @Column({ type: 'int' })
  openedConfidential!: number;

  /** With confidential ones. */
  @Column({ type: 'int' })
  closed!: number;

  @Column({ type: 'int' })
  closedConfidential!: number;
}
