import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { Urls } from '../../../platform/urls/index.js';
import { ProjectRelations, ProjectPresenter } from '../../projects/index.js';
import { type User, UserPresenter, UsersRepository } from '../../users/index.js';
import { Note } from '../notes/note.entity.js';
import { HiddenReferences } from '../references/hidden-references.js';
import { hideReferences } from '../references/moved-references.js';
import { type PresentedTarget, TodoTargets } from './todo-targets.js';
import type { Todo } from './todo.entity.js';
import type { TodoView } from './todo.view.js';

/** What authors and projects look like, for many todos at once. */
@Injectable()
export class TodoSurroundings {
  constructor(
    private readonly users: UsersRepository,
    private readonly userPresenter: UserPresenter,
    private readonly relations: ProjectRelations,
    private readonly projectPresenter: ProjectPresenter,
  ) {}

  /** By IDs of authors, and by IDs of projects: a statement for each kind. */
  async of(todos: readonly Todo[]) {
    const authors = await this.users.findAuthors(todos.map(({ authorId }) => authorId));
    const projects = await this.relations.loadBrief(todos.map(({ projectId }) => projectId));
    return {
      authors: mapValues(authors, (author) => this.userPresenter.summary(author)),
      projects: mapValues(projects, (project) => this.projectPresenter.brief(project)),
    };
  }
}

@Injectable()
export class TodoPresenter {
  constructor(
    private readonly database: Database,
    private readonly targets: TodoTargets,
    private readonly surroundings: TodoSurroundings,
    private readonly hidden: HiddenReferences,
    private readonly urls: Urls,
  ) {}

  /** In the order given; what has lost its target at this very moment is left out. */
  async present(todos: readonly Todo[], reader: User): Promise<TodoView[]> {
    if (todos.length === 0) return [];
    const { authors, projects } = await this.surroundings.of(todos);
    const targets = await this.targets.of(todos, reader);
    const notes = await this.notesOf(todos, reader);
    return todos.flatMap((todo) => {
      const author = authors.get(todo.authorId);
      const project = projects.get(todo.projectId);
      const target = targets(todo);
      if (author === undefined || project === undefined || target === null) return [];
      return {
        id: todo.id,
        project,
        author,
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
    const notes = await this.database
      .of(Note)
      .createQueryBuilder('note')
      .select(['note.id', 'note.body', 'note.movedReferences'])
      .where('note.id = ANY(:ids)', { ids })
      .getMany();
    const hides = await this.hidden.from(notes, reader);
    return new Map(
      notes.map(({ id, body: text, movedReferences: moved }) => [
        id,
        hideReferences({ text, moved }, hides),
      ]),
    );
  }
}

function mapValues<K, V, W>(map: ReadonlyMap<K, V>, change: (value: V) => W): Map<K, W> {
  return new Map([...map].map(([key, value]) => [key, change(value)]));
}
