import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import { BriefProjectView, ProjectPresenter, ProjectRelations } from '../../projects/index.js';
import { summarizeUser, type User, UsersRepository, UserSummaryView } from '../../users/index.js';
import { IssuableKinds } from '../kinds/issuable-kinds.js';
import type { Issuable, IssuableKind } from '../kinds/issuable.js';
import { hideReferences } from '../references/moved-references.js';
import { ReferenceResolver } from '../references/reference-resolver.js';
import type { Todo } from './todo.entity.js';
import { TodosRepository } from './todos.repository.js';

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
    private readonly users: UsersRepository,
    private readonly projects: ProjectRelations,
    private readonly projectPresenter: ProjectPresenter,
    private readonly references: ReferenceResolver,
    private readonly urls: Urls,
  ) {}

  /** Presents todos in the given order, without those whose target is deleted meanwhile. */
  async present(todos: readonly Todo[], reader: User): Promise<TodoView[]> {
    if (todos.length === 0) return [];
    const authors = await this.users.findAuthors(todos.map(({ authorId }) => authorId));
    const projects = await this.projects.loadBrief(todos.map(({ projectId }) => projectId));
    const targets = await this.loadTargets(todos, reader);
    const notes = await this.notesOf(todos, reader);
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
        action_name: todo.action,
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
    if (view === undefined) throw recordNotFound();
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
      const views = await kind.present([...issuables.keys()], reader);
      for (const [id, issuable] of issuables) {
        const view = views.get(id);
        if (view !== undefined) found.set(targetKey(kind.type, id), { kind, issuable, view });
      }
    }
    return found;
  }

  private url(fullPath: string, { issuable, kind }: PresentedTarget, { noteId }: Todo): string {
    const url = this.urls.web(...fullPath.split('/'), kind.segment, String(issuable.iid));
    return noteId === null ? url : `${url}#note_${String(noteId)}`;
  }

  private async notesOf(
    todos: readonly Todo[],
    reader: User,
  ): Promise<ReadonlyMap<number, string>> {
    const ids = todos.flatMap(({ noteId }) => noteId ?? []);
    if (ids.length === 0) return new Map();
    const notes = await this.todos.findNotes(ids);
    const hides = await this.references.findHidden(notes, reader);
    return new Map(
      notes.map(({ id, body: text, movedReferences: moved }) => [
        id,
        hideReferences({ text, moved }, hides),
      ]),
    );
  }
}

const targetKey = (type: string, id: number): string => `${type} ${String(id)}`;
