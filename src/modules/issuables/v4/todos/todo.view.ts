import { Injectable } from '@nestjs/common';
import { Urls } from '../../../../platform/config/index.js';
import { recordNotFound } from '../../../../platform/errors/index.js';
import { ProjectRelations } from '../../../projects/index.js';
import { type User, UsersRepository } from '../../../users/index.js';
import { V4UserBasicView, V4UserPresenter } from '../../../users/v4/index.js';
import { IssuableKinds } from '../../model/issuable-kinds.js';
import type { Issuable, IssuableKind } from '../../model/issuable.js';
import type { Todo } from '../../todos/todo.entity.js';
import { TodosRepository } from '../../todos/todos.repository.js';
import { V4IssuablePresenters } from '../issuable-presenters.js';

/** The project of a todo. */
export class V4TodoProjectView {
  id!: number;
  name!: string;
  name_with_namespace!: string;
  path!: string;
  path_with_namespace!: string;
}

/** Something that waits for the caller. */
export class V4TodoView {
  id!: number;
  project!: V4TodoProjectView;
  /** The user who caused it. */
  author!: V4UserBasicView;
  /** `assigned`, `mentioned`, `build_failed`, `marked` or `review_requested`. */
  action_name!: string;
  /** `Issue` or `MergeRequest`. */
  target_type!: string;
  /** The issue or merge request, as the items of its list. */
  target!: object;
  /** In the web interface, at the note where one caused it. */
  target_url!: string;
  /** The note's text, else the target's title. */
  body!: string;
  /** `pending` or `done`. */
  state!: string;
  created_at!: Date;
  /** When it was raised: later times are not recorded. */
  updated_at!: Date;
}

interface PresentedTarget {
  kind: IssuableKind;
  issuable: Issuable;
  view: object;
}

/** Presents todos with their authors, projects and targets, with a constant number of statements. */
@Injectable()
export class V4TodoPresenter {
  constructor(
    private readonly todos: TodosRepository,
    private readonly kinds: IssuableKinds,
    private readonly presenters: V4IssuablePresenters,
    private readonly users: UsersRepository,
    private readonly userPresenter: V4UserPresenter,
    private readonly projects: ProjectRelations,
    private readonly urls: Urls,
  ) {}

  /** Presents todos in the given order, without those whose target is deleted meanwhile. */
  async present(todos: readonly Todo[], reader: User): Promise<V4TodoView[]> {
    if (todos.length === 0) return [];
    const authors = await this.users.findAuthors(todos.map(({ authorId }) => authorId));
    const projects = await this.projects.loadBrief(todos.map(({ projectId }) => projectId));
    const targets = await this.loadTargets(todos, reader);
    const notes = await this.notesOf(todos);
    return todos.flatMap((todo) => {
      const author = authors.get(todo.authorId);
      const project = projects.get(todo.projectId);
      const target = targets.get(targetKey(todo.targetType, todo.targetId));
      if (author === undefined || project === undefined || target === undefined) return [];
      const { id, name, path, namespaceName, namespacePath } = project;
      const fullPath = `${namespacePath}/${path}`;
      return {
        id: todo.id,
        project: {
          id,
          name,
          name_with_namespace: `${namespaceName} / ${name}`,
          path,
          path_with_namespace: fullPath,
        },
        author: this.userPresenter.basic(author),
        action_name: todo.action,
        target_type: todo.targetType,
        target: target.view,
        target_url: this.url(fullPath, target, todo),
        body: notes.get(todo.noteId ?? 0) ?? target.issuable.title,
        state: todo.state,
        created_at: todo.createdAt,
        updated_at: todo.createdAt,
      };
    });
  }

  /** @throws DomainError record not found if its target is deleted meanwhile */
  async presentOne(todo: Todo, reader: User): Promise<V4TodoView> {
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
      const loaded = [...(await kind.load([...issuables.keys()], reader)).values()];
      const views = await this.presenters.of(kind.type).presentAll(loaded, { reader });
      loaded.forEach(({ issuable: { id } }, at) => {
        const [issuable, view] = [issuables.get(id), views[at]];
        if (issuable === undefined || view === undefined) return;
        found.set(targetKey(kind.type, id), { kind, issuable, view });
      });
    }
    return found;
  }

  private url(fullPath: string, { issuable, kind }: PresentedTarget, { noteId }: Todo): string {
    const url = this.urls.web(...fullPath.split('/'), '-', kind.segment, String(issuable.iid));
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
