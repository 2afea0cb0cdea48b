import { Body, Delete, Get, Param, Post, Query, type Type } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  ApiOperation,
  PageQuery,
  StringParam,
  UnlessModified,
} from '../../../../platform/http/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  MaybeCaller,
  type ProjectAccess,
  Requires,
  type Subject,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { V4UserPresenter } from '../../../users/v4/index.js';
import { AwardsService, type OwnedAwardable } from '../../awards/awards.service.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import type { Issuable } from '../../model/issuable.js';
import { NotesService } from '../../notes/notes.service.js';
import type { V4IssuableRoutes } from '../issuable-routes.js';
import { presentV4Award, V4AwardView } from './award.view.js';

/** `POST …/award_emoji`. */
class V4AwardEmojiDto {
  @StringParam({ required: true, description: 'Any name of the emoji, without colons.' })
  name!: string;
}

/** The controller of the awards of issues, or of merge requests. */
export function v4IssuableAwardsController(routes: V4IssuableRoutes): Type<object> {
  const { type, path, iidParameter, oneNoun, ability, readAbility } = routes;

  @V4Controller(`${path}/award_emoji`, `${type}Awards`)
  @routes.requiresEnabled
  class V4IssuableAwardsController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly awards: AwardsService,
      private readonly users: V4UserPresenter,
    ) {}

    @Get()
    @ApiOperation({ summary: `The emoji that ${oneNoun} was awarded, the oldest first.` })
    @Requires(readAbility)
    @AnswersList(V4AwardView)
    async list(
      @MaybeCaller() caller: User | null,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Query() query: PageQuery,
    ): Promise<Page<V4AwardView>> {
      const awardable = await this.find(access, caller, iid);
      const page = await this.awards.list(awardable, query);
      return mapPage(page, (award) => presentV4Award(award, this.users));
    }

    @Get(':award_id')
    @ApiOperation({ summary: `One emoji that ${oneNoun} was awarded.` })
    @Requires(readAbility)
    @Answers(V4AwardView)
    async read(
      @MaybeCaller() caller: User | null,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('award_id') id: number,
    ): Promise<V4AwardView> {
      const awardable = await this.find(access, caller, iid);
      return presentV4Award(await this.awards.read(awardable, id), this.users);
    }

    @Post()
    @ApiOperation({ summary: `Awards ${oneNoun} an emoji.` })
    @Requires(ability)
    @Answers(V4AwardView)
    async create(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Body() { name }: V4AwardEmojiDto,
    ): Promise<V4AwardView> {
      const awardable = await this.find(access, caller, iid);
      const options = { allowsOwnVotes: true };
      return presentV4Award(await this.awards.create(awardable, caller, name, options), this.users);
    }

    /** Deletes an award emoji; for its author and for administrators. */
    @Delete(':award_id')
    @UnlessModified()
    @Requires(ability)
    @AnswersNothing()
    async remove(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('award_id') id: number,
    ): Promise<void> {
      const awardable = await this.find(access, caller, iid);
      await this.awards.remove(awardable, caller, id);
    }

    private find(access: ProjectAccess, caller: Subject, iid: number): Promise<Issuable> {
      return this.kinds.readByNumber(type, access, caller, iid);
    }
  }

  return V4IssuableAwardsController;
}

/** The controller of the awards of notes on issues, or on merge requests. */
export function v4NoteAwardsController(routes: V4IssuableRoutes): Type<object> {
  const { type, path, iidParameter, oneNoun, ability, readAbility } = routes;

  @V4Controller(`${path}/notes/:note_id/award_emoji`, `${type}NoteAwards`)
  @routes.requiresEnabled
  class V4NoteAwardsController {
    constructor(
      private readonly kinds: IssuableKinds,
      private readonly notes: NotesService,
      private readonly awards: AwardsService,
      private readonly users: V4UserPresenter,
    ) {}

    @Get()
    @ApiOperation({ summary: `The emoji that a note on ${oneNoun} was awarded, the oldest first.` })
    @Requires(readAbility)
    @AnswersList(V4AwardView)
    async list(
      @MaybeCaller() caller: User | null,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('note_id') noteId: number,
      @Query() query: PageQuery,
    ): Promise<Page<V4AwardView>> {
      const awardable = await this.find(access, caller, iid, noteId);
      const page = await this.awards.list(awardable, query);
      return mapPage(page, (award) => presentV4Award(award, this.users));
    }

    @Get(':award_id')
    @ApiOperation({ summary: `One emoji that a note on ${oneNoun} was awarded.` })
    @Requires(readAbility)
    @Answers(V4AwardView)
    async read(
      @MaybeCaller() caller: User | null,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('note_id') noteId: number,
      @Param('award_id') id: number,
    ): Promise<V4AwardView> {
      const awardable = await this.find(access, caller, iid, noteId);
      return presentV4Award(await this.awards.read(awardable, id), this.users);
    }

    @Post()
    @ApiOperation({ summary: `Awards a note on ${oneNoun} an emoji.` })
    @Requires(ability)
    @Answers(V4AwardView)
    async create(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('note_id') noteId: number,
      @Body() { name }: V4AwardEmojiDto,
    ): Promise<V4AwardView> {
      const awardable = await this.find(access, caller, iid, noteId);
      const options = { allowsOwnVotes: true };
      return presentV4Award(await this.awards.create(awardable, caller, name, options), this.users);
    }

    /** Deletes an award emoji; for its author and for administrators. */
    @Delete(':award_id')
    @UnlessModified()
    @Requires(ability)
    @AnswersNothing()
    async remove(
      @Caller() caller: User,
      @Access() access: ProjectAccess,
      @Param(iidParameter) iid: number,
      @Param('note_id') noteId: number,
      @Param('award_id') id: number,
    ): Promise<void> {
      const awardable = await this.find(access, caller, iid, noteId);
      await this.awards.remove(awardable, caller, id);
    }

    private async find(
      access: ProjectAccess,
      caller: Subject,
      iid: number,
      noteId: number,
    ): Promise<OwnedAwardable> {
      const issuable = await this.kinds.readByNumber(type, access, caller, iid);
      return this.notes.readAwardable(issuable, caller, noteId);
    }
  }

  return V4NoteAwardsController;
}
