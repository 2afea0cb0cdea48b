import { Body, Get, Param, Post, type Type } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { forbidden, invalidParameter } from '../../../../platform/errors/index.js';
import {
  Answers,
  ApiOperation,
  FixedStatus,
  StringParam,
} from '../../../../platform/http/index.js';
import {
  Access,
  Caller,
  MaybeCaller,
  type ProjectAccess,
  Requires,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { TimeTrackingService } from '../../changes/time-tracking.service.js';
import { parseDuration } from '../../model/durations.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import type { Issuable } from '../../model/issuable.js';
import type { V4IssuableRoutes } from '../issuable-routes.js';
import { presentTime, V4TimeStatsView } from '../issuable.view.js';

/** `POST …/time_estimate`. */
class V4TimeEstimateDto {
  @StringParam({ required: true, description: 'Such as `1w 2d 3h 4m`.' })
  duration!: string;
}

/** `POST …/add_spent_time`. */
class V4SpentTimeDto {
  @StringParam({ required: true, description: 'Such as `1h 30m`; `-1h` is subtracted.' })
  duration!: string;
}

/** The controller of the time of issues, or of merge requests. */
export function v4TimeTrackingController(routes: V4IssuableRoutes): Type<object> {
  const { type, path, iidParameter, noun, oneNoun, readAbility, editAbility } = routes;

  @V4Controller(path, `${type}Times`)
  @routes.requiresEnabled
  class V4TimeTrackingController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly times: TimeTrackingService,
    ) {}

    @Get('time_stats')
    @ApiOperation({ summary: `The time that was estimated for ${oneNoun}, and spent on it.` })
    @Requires(readAbility)
    @Answers(V4TimeStatsView)
    async read(
      @MaybeCaller() caller: User | null,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
    ): Promise<V4TimeStatsView> {
      const target = await this.kinds.readByNumber(type, access, caller, iid);
      return presentTime(await this.times.read(target));
    }

    @Post('time_estimate')
    @ApiOperation({ summary: `Estimates the time of the ${noun}.` })
    @Requires(editAbility)
    @FixedStatus(200)
    @Answers(V4TimeStatsView)
    async estimate(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Body() { duration }: V4TimeEstimateDto,
    ): Promise<V4TimeStatsView> {
      const target = await this.find(access, caller, iid);
      const seconds = parseDuration(duration) ?? -1;
      if (seconds < 0) throw invalidParameter('duration is invalid');
      return presentTime(await this.times.estimate(target, caller.id, seconds));
    }

    @Post('reset_time_estimate')
    @ApiOperation({ summary: `Removes the estimate of the ${noun}.` })
    @Requires(editAbility)
    @FixedStatus(200)
    @Answers(V4TimeStatsView)
    async resetEstimate(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
    ): Promise<V4TimeStatsView> {
      const target = await this.find(access, caller, iid);
      return presentTime(await this.times.estimate(target, caller.id, 0));
    }

    @Post('add_spent_time')
    @ApiOperation({ summary: `Adds to the time that was spent on the ${noun}, or subtracts.` })
    @Requires(editAbility)
    @Answers(V4TimeStatsView)
    async spend(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Body() { duration }: V4SpentTimeDto,
    ): Promise<V4TimeStatsView> {
      const target = await this.find(access, caller, iid);
      const seconds = parseDuration(duration);
      if (seconds === null) throw invalidParameter('duration is invalid');
      return presentTime(await this.times.spend(target, caller.id, seconds));
    }

    @Post('reset_spent_time')
    @ApiOperation({ summary: `Removes the time that was spent on the ${noun}.` })
    @Requires(editAbility)
    @FixedStatus(200)
    @Answers(V4TimeStatsView)
    async resetSpent(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
    ): Promise<V4TimeStatsView> {
      const target = await this.find(access, caller, iid);
      return presentTime(await this.times.resetSpent(target, caller.id));
    }

    /** Merge requests of archived projects do not change. */
    private find(access: ProjectAccess, caller: User, iid: number): Promise<Issuable> {
      if (type === 'MergeRequest' && access.project.archived) throw forbidden();
      return this.kinds.readByNumber(type, access, caller, iid);
    }
  }

  return V4TimeTrackingController;
}
