import { Body, Delete, Get, Param, Post } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersAll,
  EnumParam,
  FixedStatus,
  IdParam,
  MayAnswer,
  StringParam,
} from '../../../platform/http/index.js';
import { describeInParts, Page } from '../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  type ProjectAccess,
  Requires,
  type Subject,
} from '../../authorization/index.js';
import { RequiresEnabledToWrite } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import type { IssueLink } from '../links/issue-link.entity.js';
import { IssueLinksService, MAX_LINKS } from '../links/issue-links.service.js';
import { IssueKind } from '../model/issue-kind.js';
import { linkNotFound } from '../model/refusals.js';
import { presentRelatedIssue, V4IssueLinkView, V4RelatedIssueView } from './issue-link.view.js';
import { V4IssuePresenter, type V4IssueView } from './issue.view.js';

/** `POST /projects/:id/issues/:issue_iid/links`. */
class V4LinkIssueDto {
  @StringParam({
    required: true,
    description: 'ID or full path of the project of the other issue.',
  })
  target_project_id!: string;

  @IdParam({ required: true, description: 'Number of the other issue in its project.' })
  target_issue_iid!: number;

  @EnumParam(['relates_to'] as const, { default: 'relates_to' })
  link_type = 'relates_to' as const;
}

/** Links between issues. */
@V4Controller('projects/:id/issues/:issue_iid/links', 'IssueLinks')
@RequiresEnabledToWrite('Issue')
export class V4IssueLinksController {
  constructor(
    private readonly links: IssueLinksService,
    private readonly kind: IssueKind,
    private readonly presenter: V4IssuePresenter,
  ) {}

  /** The issues that an issue is linked to, in the order in which they were linked. */
  @Get()
  @Requires('issue:read')
  @AnswersAll(V4RelatedIssueView)
  async list(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_iid') iid: number,
  ): Promise<Page<V4RelatedIssueView>> {
    const related = await this.links.list(access, caller, iid);
    const sizes = await this.kind.textBytesOf(related.map(({ other }) => other.issue.id));
    return describeInParts(
      Page.of(related, { page: 1, perPage: MAX_LINKS }),
      ({ other }) => sizes.get(other.issue.id) ?? 0,
      async (part) => {
        const ids = part.map(({ other }) => other.issue.id);
        const views = await this.present(ids, caller);
        return part.flatMap((one) => {
          const view = views.get(one.other.issue.id);
          return view === undefined ? [] : [presentRelatedIssue(view, one, access.project)];
        });
      },
    );
  }

  /** One link of an issue. */
  @Get(':issue_link_id')
  @Requires('issue:read')
  @Answers(V4IssueLinkView)
  async read(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_iid') iid: number,
    @Param('issue_link_id') id: number,
  ): Promise<V4IssueLinkView> {
    return this.presentLink(await this.links.read(access, caller, iid, id), caller);
  }

  /** Links an issue to another one; for users who may edit the issues of both projects. */
  @Post()
  @Requires('issue:read')
  @Answers(V4IssueLinkView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_iid') iid: number,
    @Body() body: V4LinkIssueDto,
  ): Promise<V4IssueLinkView> {
    const target = { project: body.target_project_id, iid: body.target_issue_iid };
    return this.presentLink(await this.links.create(access, caller, iid, target), caller);
  }

  /** Removes a link; for users who may edit the issues of both projects. */
  @Delete(':issue_link_id')
  @Requires('issue:read')
  @FixedStatus(200)
  @Answers(V4IssueLinkView)
  async remove(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('issue_iid') iid: number,
    @Param('issue_link_id') id: number,
  ): Promise<V4IssueLinkView> {
    return this.presentLink(await this.links.remove(access, caller, iid, id), caller);
  }

  private async presentLink(link: IssueLink, reader: Subject): Promise<V4IssueLinkView> {
    const views = await this.present([link.sourceId, link.targetId], reader);
    const [source, target] = [views.get(link.sourceId), views.get(link.targetId)];
    // One of them was deleted meanwhile.
    if (source === undefined || target === undefined) throw linkNotFound();
    return { id: link.id, source_issue: source, target_issue: target, link_type: 'relates_to' };
  }

  private async present(
    ids: readonly number[],
    reader: Subject,
  ): Promise<ReadonlyMap<number, V4IssueView>> {
    const loaded = await this.kind.load(ids, reader);
    const views = await this.presenter.presentAll([...loaded.values()], { place: 'anywhere' });
    return new Map(views.map((view) => [view.id, view]));
  }
}
