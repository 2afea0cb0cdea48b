import { Injectable } from '@nestjs/common';
import type { ProjectAccess } from '../../access/index.js';
import { Subscriptions } from '../subscriptions/subscriptions.js';
import { type LabelCount, LabelCounts } from './label-counts.js';
import type { Label } from './label.entity.js';

/** A label as one reader sees it. */
export interface DescribedLabel {
  label: Label;
  issues: LabelCount;
  mergeRequests: LabelCount;
  subscribed: boolean;
}

/** Who reads labels, and how they stand on the project. */
export interface LabelReader {
  access: ProjectAccess;
  userId: number;
}

@Injectable()
export class LabelDetails {
  constructor(
    private readonly counts: LabelCounts,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** What describes each of the labels, with a constant number of statements. */
  async of(
    labels: readonly Label[],
    { access, userId }: LabelReader,
  ): Promise<(label: Label) => DescribedLabel> {
    const ids = labels.map(({ id }) => id);
    const countOf = await this.counts.of(ids, access, userId);
    const subscribed = await this.subscriptions.chosenLabels(ids, userId);
    return (label) => ({
      label,
      issues: countOf('Issue', label.id),
      mergeRequests: countOf('MergeRequest', label.id),
      subscribed: subscribed.has(label.id),
    });
  }

  async ofOne(label: Label, reader: LabelReader): Promise<DescribedLabel> {
    return (await this.of([label], reader))(label);
  }
}
