import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { notFound, notModified } from '../../../platform/errors/index.js';
import { reference } from '../../../platform/http/index.js';
import { Subscriptions } from '../subscriptions/subscriptions.js';
import { type DescribedLabel, LabelDetails, type LabelReader } from './label-details.js';
import type { Label } from './label.entity.js';
import { LabelsRepository } from './labels.repository.js';

/** Who is subscribed to labels (docs/reference/labels.md#endpoints). */
@Injectable()
export class LabelSubscriptions {
  constructor(
    private readonly work: UnitOfWork,
    private readonly labels: LabelsRepository,
    private readonly details: LabelDetails,
    private readonly subscriptions: Subscriptions,
  ) {}

  /**
   * @param text ID or name; digits are a name where no label of the project has that ID
   * @throws DomainError not found; not modified when it was so already
   */
  choose(reader: LabelReader, text: string, subscribed: boolean): Promise<DescribedLabel> {
    return this.work.run(async () => {
      const label = await this.hold(reader.access.project.id, text);
      if (label === null) throw notFound('Label');
      const changed = await this.subscriptions.chooseLabel(label, reader.userId, subscribed);
      if (!changed) throw notModified();
      return this.details.ofOne(label, reader);
    });
  }

  private async hold(projectId: number, text: string): Promise<Label | null> {
    const wanted = reference(text);
    const byId = wanted.by === 'id' ? await this.labels.hold({ projectId, id: wanted.id }) : null;
    return byId ?? this.labels.hold({ projectId, name: text });
  }
}
