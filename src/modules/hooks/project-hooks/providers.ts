import { ProjectHooksController } from './project-hooks.controller.js';
import { ProjectHooksService } from './project-hooks.service.js';

export const PROJECT_HOOK_CONTROLLERS = [ProjectHooksController];

export const PROJECT_HOOK_PROVIDERS = [ProjectHooksService];
