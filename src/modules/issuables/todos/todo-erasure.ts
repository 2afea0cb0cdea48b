import { Injectable } from '@nestjs/common';
import { AccountErasure } from '../../users/index.js';
import { TodosRepository } from './todos.repository.js';

/** What waits for a deleted account goes; what it caused for others stays, the ghost's (open points 5.15). */
@Injectable()
export class TodoErasure {
  constructor(todos: TodosRepository, erasure: AccountErasure) {
    erasure.register({ name: 'todos', run: (userId) => todos.removeSomeOfUser(userId) });
    erasure.register({
      name: 'todos of others',
      run: (userId, ghostId) => todos.handOver(userId, ghostId),
    });
  }
}
