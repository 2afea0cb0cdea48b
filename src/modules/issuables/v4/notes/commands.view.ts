import { AnswerWithStatus } from '../../../../platform/http/index.js';
import type { QuickActionChanges } from '../../model/quick-actions.js';
import type { CommandsOnly } from '../../notes/notes.service.js';

/** What the quick actions of a text have changed; fields that they have not changed are absent. */
export class V4CommandsChangesView {
  /** `close` or `reopen`. */
  state_event?: string;
  title?: string;
  add_label_ids?: number[];
  remove_label_ids?: number[];
  /** All labels. */
  label_ids?: number[];
  assignee_ids?: number[];
  milestone_id?: number | null;
  due_date?: string | null;
  confidential?: boolean;
  /** `draft` or `ready`. */
  wip_event?: string;
  /** `add` or `done`. */
  todo_event?: string;
  /** `subscribe` or `unsubscribe`. */
  subscription_event?: string;
  emoji_award?: string;
  /** Seconds. */
  time_estimate?: number;
  /** Seconds. */
  spend_time?: number;
  approve?: boolean;
  /** The commit that is to be merged. */
  merge?: string;
}

/** The answer to a text that consists of quick actions. */
export class V4CommandsView {
  commands_changes!: V4CommandsChangesView;
  /** A sentence for each action that was carried out. */
  summary!: string[];
}

export const COMMANDS_ONLY =
  'A text of quick actions, which have been carried out: there is no note.';

/** Answers a text of quick actions with 202. */
export function answerCommands({ applied: { changes, summary } }: CommandsOnly): AnswerWithStatus {
  const view: V4CommandsView = { commands_changes: presentChanges(changes), summary: [...summary] };
  return new AnswerWithStatus(202, view);
}

const defined = <K extends string, V>(key: K, value: V | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };

const presentChanges = (changes: QuickActionChanges): V4CommandsChangesView => ({
  ...defined('state_event', changes.stateEvent),
  ...defined('title', changes.title),
  ...defined('add_label_ids', changes.addedLabelIds && [...changes.addedLabelIds]),
  ...defined('remove_label_ids', changes.removedLabelIds && [...changes.removedLabelIds]),
  ...defined('label_ids', changes.labelIds && [...changes.labelIds]),
  ...defined('assignee_ids', changes.assigneeIds && [...changes.assigneeIds]),
  ...defined('milestone_id', changes.milestoneId),
  ...defined('due_date', changes.dueDate),
  ...defined('confidential', changes.confidential),
  ...defined('wip_event', changes.draftEvent),
  ...defined('todo_event', changes.todoEvent),
  ...defined('subscription_event', changes.subscriptionEvent),
  ...defined('emoji_award', changes.award),
  ...defined('time_estimate', changes.timeEstimate),
  ...defined('spend_time', changes.timeSpent),
  ...defined('approve', changes.approved),
  ...defined('merge', changes.mergedSha),
});
