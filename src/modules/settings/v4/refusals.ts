import { V4 } from '../../../faces/index.js';
import { provideOtherAnswers } from '../../../platform/http/index.js';

/** What version 4 words otherwise than version 3. */
export const v4SettingsAnswers = provideOtherAnswers(V4, 'settings', {
  rules: { 'empty-blacklist': 'Domain denylist cannot be empty if denylist is enabled.' },
  fields: { domainBlacklist: 'domain_denylist', domainWhitelist: 'domain_allowlist' },
});
