import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, TAG_PREFIX, ZERO_OID } from '../../../git/index.js';
import type { PushedRef } from '../../activity/index.js';
import { V4UserBasicView, V4UserPresenter } from '../../users/v4/index.js';
import { EventTargets } from '../event-targets.js';
import type { DescribedEvent } from '../feeds.service.js';
import { presentNote, V4EventNoteView } from './note.view.js';

/** Longer titles of commits end in `...`. */
const TITLE_CHARACTERS = 70;

/** What a push changed. */
export class V4PushDataView {
  /** How many commits the branch got. */
  commit_count!: number;
  action!: 'created' | 'pushed' | 'removed';
  ref_type!: 'branch' | 'tag';
  /** Null when the ref was created. */
  commit_from!: string | null;
  /** Null when the ref was removed. */
  commit_to!: string | null;
  /** Name of the branch or tag. */
  ref!: string;
  /** The title of the newest commit, at most 70 characters; null without commits. */
  commit_title!: string | null;
  /** Always null: each ref of a push has an event of its own. */
  ref_count!: number | null;
}

/** An event of a feed. */
export class V4EventView {
  id!: number;
  project_id!: number;
  action_name!: string;
  target_id!: number | null;
  /** The number of an issue, merge request or milestone in its project; of others, and of deleted ones, the ID. */
  target_iid!: number | null;
  /** `Issue`, `MergeRequest`, `Milestone` or `Note`. */
  target_type!: string | null;
  author_id!: number;
  /** Null where the target is deleted. */
  target_title!: string | null;
  created_at!: Date;
  /** Of comments only. */
  note?: V4EventNoteView;
  author!: V4UserBasicView;
  /** Always false. */
  imported!: boolean;
  /** Always `none`. */
  imported_from!: string;
  /** Of pushes only. */
  push_data?: V4PushDataView;
  author_username!: string;
}

@Injectable()
export class V4EventPresenter {
  constructor(
    private readonly users: V4UserPresenter,
    private readonly targets: EventTargets,
  ) {}

  present({ event, author, target, noteAuthor }: DescribedEvent): V4EventView {
    const note = target?.note;
    return {
      id: Number(event.id),
      project_id: event.projectId,
      action_name: event.action,
      target_id: event.targetId,
      target_iid: (note === undefined && target?.iid) || event.targetId,
      target_type: event.targetType && this.targets.nameOf(event.targetType),
      author_id: author.id,
      target_title: target?.title ?? null,
      created_at: event.createdAt,
      ...(target && note && noteAuthor
        ? {
            note: presentNote(
              note,
              this.users.basic(noteAuthor),
              event.projectId,
              target.iid ?? null,
            ),
          }
        : {}),
      author: this.users.basic(author),
      imported: false,
      imported_from: 'none',
      ...(event.pushedRef === null ? {} : { push_data: presentPush(event.pushedRef) }),
      author_username: author.username,
    };
  }
}

function presentPush({ ref, oldOid, newOid, commits, commitCount }: PushedRef): V4PushDataView {
  const isTag = ref.startsWith(TAG_PREFIX);
  const newest = commits.at(-1);
  return {
    commit_count: commitCount,
    action: actionOf(oldOid, newOid),
    ref_type: isTag ? 'tag' : 'branch',
    commit_from: oldOid === ZERO_OID ? null : oldOid,
    commit_to: newOid === ZERO_OID ? null : newOid,
    ref: ref.slice((isTag ? TAG_PREFIX : BRANCH_PREFIX).length),
    commit_title: newest === undefined ? null : shortTitle(newest.message),
    ref_count: null,
  };
}

function actionOf(oldOid: string, newOid: string): V4PushDataView['action'] {
  if (oldOid === ZERO_OID) return 'created';
  return newOid === ZERO_OID ? 'removed' : 'pushed';
}

function shortTitle(message: string): string {
  const [line = ''] = message.trimStart().split('\n', 1);
  const title = [...line.trim()];
  if (title.length <= TITLE_CHARACTERS) return title.join('');
  return `${title.slice(0, TITLE_CHARACTERS - 3).join('')}...`;
}
