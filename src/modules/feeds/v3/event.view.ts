import { Injectable } from '@nestjs/common';
import { UserPresenter, UserSummaryView } from '../../users/v3/index.js';
import { ProjectPayloadBuilder } from '../../projects/v3/index.js';
import { EventTargets } from '../event-targets.js';
import type { DescribedEvent } from '../feeds.service.js';
import { NoteView, presentNote } from './note.view.js';
import { presentPushData, PushDataView } from './push-data.view.js';

/** An event of a feed (docs/reference/events.md#the-event-object). */
export class EventView {
  title!: string | null;
  project_id!: number;
  action_name!: string;
  target_id!: number | null;
  target_type!: string | null;
  target_title!: string | null;
  author_id!: number;
  author_username!: string;
  author!: UserSummaryView;
  /** Of pushes only. */
  data!: PushDataView | null;
  created_at!: Date;
  /** Of comments only. */
  note?: NoteView;
}

@Injectable()
export class EventPresenter {
  constructor(
    private readonly users: UserPresenter,
    private readonly targets: EventTargets,
    private readonly projects: ProjectPayloadBuilder,
  ) {}

  present(described: DescribedEvent): EventView {
    const { event, author, target, noteAuthor } = described;
    const { id, username } = author;
    const note = target?.note;
    return {
      title: null,
      project_id: event.projectId,
      action_name: event.action,
      target_id: event.targetId,
      target_type: event.targetType && this.targets.nameOf(event.targetType),
      target_title: target?.title ?? null,
      author_id: id,
      author_username: username,
      author: this.users.summary(author),
      data: this.pushData(described),
      created_at: event.createdAt,
      ...(note && noteAuthor ? { note: presentNote(note, this.users.summary(noteAuthor)) } : {}),
    };
  }

  private pushData({ event, author, project }: DescribedEvent): PushDataView | null {
    if (event.pushedRef === null || project === null) return null;
    return presentPushData(event.pushedRef, {
      projectId: event.projectId,
      pusher: this.users.summary(author),
      project: this.projects.project(project),
      repository: this.projects.repositoryWithCloneUrls(project),
      commitUrl: (oid) => this.projects.url(project, 'commit', oid),
    });
  }
}
