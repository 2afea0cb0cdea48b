import { MergeRequestVersions } from './merge-request-versions.js';

export const VERSION_PROVIDERS = [MergeRequestVersions];
