import { Controller, Delete, Param, Post, UseGuards } from '@nestjs/common';
import { Answers, MayAnswer } from '../../../platform/http/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { TrackersGuard } from '../trackers.guard.js';
import { LabelSubscriptions } from './label-subscriptions.js';
import { LabelPresenter } from './label.presenter.js';
import { LabelView } from './label.view.js';

@Controller('projects/:id/labels/:label/subscription')
@UseGuards(TrackersGuard)
export class LabelSubscriptionsController {
  constructor(
    private readonly subscriptions: LabelSubscriptions,
    private readonly presenter: LabelPresenter,
  ) {}

  /** Subscribes the caller to a label, given by ID or name. */
  @Post()
  @Requires('label:read')
  @Answers(LabelView)
  @MayAnswer(304)
  async add(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Param('label') label: string,
  ): Promise<LabelView> {
    return this.presenter.present(await this.subscriptions.choose({ access, userId }, label, true));
  }

  /** Takes the caller's subscription back. */
  @Delete()
  @Requires('label:read')
  @Answers(LabelView)
  @MayAnswer(304)
  async remove(
    @Caller() { id: userId }: User,
    @Access() access: ProjectAccess,
    @Param('label') label: string,
  ): Promise<LabelView> {
    return this.presenter.present(
      await this.subscriptions.choose({ access, userId }, label, false),
    );
  }
}
