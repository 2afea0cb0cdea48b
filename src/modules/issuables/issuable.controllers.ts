import type { Type } from '@nestjs/common';
import { issuableAwardsController } from './awards/issuable-awards.controller.js';
import type { IssuableRoutes } from './kinds/issuable-routes.js';
import { issuableNotesController } from './notes/issuable-notes.controller.js';
import { noteAwardsController } from './notes/note-awards.controller.js';
import { issuableSubscriptionsController } from './todos/issuable-subscriptions.controller.js';

/** Makes the controllers of the endpoints that issues and merge requests share, for one of the two. */
export const issuableControllers = (routes: IssuableRoutes): Type<object>[] => [
  noteAwardsController(routes),
  issuableAwardsController(routes),
  issuableNotesController(routes),
  issuableSubscriptionsController(routes),
];
