import { Injectable } from '@nestjs/common';
import { Urls } from '../../../../platform/config/index.js';
import { recordNotFound } from '../../../../platform/errors/index.js';
import { ProjectRelations } from '../../../projects/index.js';
import { BriefProjectView, ProjectPresenter } from '../../../projects/v3/index.js';
import { type User, UsersRepository } from '../../../users/index.js';
import { summarizeUser, UserSummaryView } from '../../../users/v3/index.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import type { Issuable, IssuableKind } from '../../model/issuable.js';
import { IssuablePresenters } from '../issuable-presenters.js';
import { type Todo, TODO_ACTIONS, type TodoAction } from '../../todos/todo.entity.js';
import { TodosRepository } from '../../todos/todos.repository.js';

/** Something that waits for the caller (docs/reference/todos.md#the-todo-object). */
export class TodoView {
  id!: number;
  project!: BriefProjectView;
  /** Who caused it. */
  author!: UserSummaryView;
  /** `assigned`, `mentioned`, `build_failed` or `marked`. */
  action_name!: string;
  /** `Issue` or `MergeRequest`. */
  target_type!: string;
  /** The issue or merge request, as its own endpoint answers it. */
  target!: object;
  /** In the web interface, at the note where one caused it. */
  target_url!: string;
  /** The note's text, else the target's title. */
  body!: string;
  /** `pending` or `done`. */
  state!: string;
  created_at!: Date;
}

/** Version 3 knows no reviewers. */
const shownAction = (action: TodoAction): TodoAction =>
  action === 'review_requested' ? 'assigned' : action;

/** The actions that are shown under a name; undefined if none is. */
export function actionsShownAs(name: string | undefined): readonly TodoAction[] | undefined {
  const actions = TODO_ACTIONS.filter((action) => shownAction(action) === name);
  return actions.length === 0 ? undefined : actions;
}

interface PresentedTarget {
  kind: IssuableKind;
  issuable: Issuable;
  view: object;
}

/** Presents todos with their authors, projects and targets, with a constant number of statements. */
@Injectable()
export class TodoPresenter {
  constructor(
    private readonly todos: TodosRepository,
    private readonly kinds: IssuableKinds,
    private readonly presenters: IssuablePresenters,
    private readonly users: UsersRepository,
    private readonly projects: ProjectRelations,
    private readonly projectPresenter: ProjectPresenter,
    private readonly urls: Urls,
  ) {}

  /** Presents todos in the given order, without those whose target is deleted meanwhile. */
  async present(todos: readonly Todo[], reader: User): Promise<TodoView[]> {
    if (todos.length === 0) return [];
    const authors = await this.users.findAuthors(todos.map(({ authorId }) => authorId));
    const projects = await this.projects.loadBrief(todos.map(({ projectId }) => projectId));
    const targets = await this.loadTargets(todos, reader);
    const notes = await this.notesOf(todos);
    return todos.flatMap((todo) => {
      const author = authors.get(todo.authorId);
      const found = projects.get(todo.projectId);
      const target = targets.get(targetKey(todo.targetType, todo.targetId));
      if (author === undefined || found === undefined || target === undefined) return [];
      const project = this.projectPresenter.brief(found);
      return {
        id: todo.id,
        project,
        author: summarizeUser(author, this.urls),
        action_name: shownAction(todo.action),
        target_type: todo.targetType,
        target: target.view,
        target_url: this.url(project.path_with_namespace, target, todo),
        body: notes.get(todo.noteId ?? 0) ?? target.issuable.title,
        state: todo.state,
        created_at: todo.createdAt,
      };
    });
  }

  /** @throws DomainError record not found if its target is deleted meanwhile */
  async presentOne(todo: Todo, reader: User): Promise<TodoView> {
    const [view] = await this.present([todo], reader);
    if (view === undefined) throw recordNotFound('todo');
    return view;
  }

  private async loadTargets(
    todos: readonly Todo[],
    reader: User,
  ): Promise<ReadonlyMap<string, PresentedTarget>> {
    const found = new Map<string, PresentedTarget>();
    for (const kind of this.kinds.all) {
      const ids = todos.filter((todo) => todo.targetType === kind.type).map((t) => t.targetId);
      if (ids.length === 0) continue;
      const issuables = await kind.find([...new Set(ids)]);
      const loaded = await kind.load([...issuables.keys()], reader);
      const presenter = this.presenters.of(kind.type);
      for (const [id, issuable] of issuables) {
        const one = loaded.get(id);
        if (one === undefined) continue;
        const view = presenter.present(one);
        found.set(targetKey(kind.type, id), { kind, issuable, view });
      }
    }
    return found;
  }

  private url(fullPath: string, { issuable, kind }: PresentedTarget, { noteId }: Todo): string {
    const url = this.urls.web(...fullPath.split('/'), kind.segment, String(issuable.iid));
    return noteId === null ? url : `${url}#note_${String(noteId)}`;
  }

  private async notesOf(todos: readonly Todo[]): Promise<ReadonlyMap<number, string>> {
    const ids = todos.flatMap(({ noteId }) => noteId ?? []);
    if (ids.length === 0) return new Map();
    const notes = await this.todos.findNotes(ids);
    return new Map(notes.map(({ id, body }) => [id, body]));
  }
}

const targetKey = (type: string, id: number): string => `${type} ${String(id)}`;
