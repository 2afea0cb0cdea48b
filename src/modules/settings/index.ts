export { ApplicationSettings } from './application-settings.entity.js';
export { SettingsModule } from './settings.module.js';
export { SettingsService } from './settings.service.js';
export { highestUnrestricted, isRestricted } from './visibility.policy.js';
