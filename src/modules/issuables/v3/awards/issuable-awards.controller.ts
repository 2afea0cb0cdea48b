import { Body, Delete, Get, Param, Post, Query, type Type } from '@nestjs/common';
import { V3Controller } from '../../../../faces/index.js';
import { notFound } from '../../../../platform/errors/index.js';
import {
  Answers,
  AnswersList,
  ApiOperation,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import { Urls } from '../../../../platform/config/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import type { IssuableRoutes } from '../issuable-routes.js';
import type { Issuable } from '../../model/issuable.js';
import { AwardView, presentAward } from './award.view.js';
import { AwardsService } from '../../awards/awards.service.js';

/** `POST …/award_emoji`. */
export class AwardEmojiDto {
  @StringParam({ required: true, description: 'Any name of the emoji, without colons.' })
  name!: string;
}

/** The controller of the awards of issues, or of merge requests (docs/reference/award-emoji.md#endpoints). */
export function issuableAwardsController(routes: IssuableRoutes): Type<object> {
  const { type, path, idParameter, oneNoun, ability } = routes;

  @V3Controller(`${path}/award_emoji`, `${type}Awards`)
  @routes.requiresEnabled
  class IssuableAwardsController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly awards: AwardsService,
      private readonly urls: Urls,
    ) {}

    @Get()
    @ApiOperation({ summary: `The emoji that ${oneNoun} was awarded, the oldest first.` })
    @Requires(ability)
    @AnswersList(AwardView)
    async list(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Query() query: PageQuery,
    ): Promise<Page<AwardView>> {
      const issuable = await this.find(access, caller, issuableId);
      const page = await this.awards.list(issuable, query);
      return mapPage(page, (award) => presentAward(award, this.urls));
    }

    @Get(':award_id')
    @ApiOperation({ summary: `One emoji that ${oneNoun} was awarded.` })
    @Requires(ability)
    @Answers(AwardView)
    async read(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Param('award_id') id: number,
    ): Promise<AwardView> {
      const issuable = await this.find(access, caller, issuableId);
      return presentAward(await this.awards.read(issuable, id), this.urls);
    }

    @Post()
    @ApiOperation({ summary: `Awards ${oneNoun} an emoji.` })
    @Requires(ability)
    @Answers(AwardView)
    async create(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Body() { name }: AwardEmojiDto,
    ): Promise<AwardView> {
      const issuable = await this.find(access, caller, issuableId);
      return presentAward(await this.awards.create(issuable, caller, name), this.urls);
    }

    /** Deletes an award emoji; for its author and for administrators. */
    @Delete(':award_id')
    @Requires(ability)
    @Answers(AwardView)
    async remove(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(idParameter) issuableId: number,
      @Param('award_id') id: number,
    ): Promise<AwardView> {
      const issuable = await this.find(access, caller, issuableId);
      return presentAward(await this.awards.remove(issuable, caller, id), this.urls);
    }

    private async find(access: ProjectAccess, caller: User, id: number): Promise<Issuable> {
      const issuable = await this.kinds.of(type).findReadable(access, caller, id);
      if (issuable === null) throw notFound('award-emoji');
      return issuable;
    }
  }

  return IssuableAwardsController;
}
