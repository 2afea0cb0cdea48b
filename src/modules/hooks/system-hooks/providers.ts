import { SystemHooksController } from './system-hooks.controller.js';
import { SystemHooksService } from './system-hooks.service.js';

export const SYSTEM_HOOK_CONTROLLERS = [SystemHooksController];

export const SYSTEM_HOOK_PROVIDERS = [SystemHooksService];
