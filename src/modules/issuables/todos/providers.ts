import { Readers } from '../readers.js';
import { LostTodos } from './lost-todos.js';
import { TodoLists } from './todo-lists.js';
import { TodoTargets } from './todo-targets.js';
import { TodoPresenter, TodoSurroundings } from './todo.presenter.js';
import { TodosController } from './todos.controller.js';
import { TodosRepository } from './todos.repository.js';
import { Todos } from './todos.js';

export const TODO_CONTROLLERS = [TodosController];

/** What waits for users. */
export const TODO_PROVIDERS = [
  LostTodos,
  Readers,
  TodoLists,
  TodoPresenter,
  TodoSurroundings,
  TodoTargets,
  Todos,
  TodosRepository,
];
