import { RepositoryReadiness } from './repository-readiness.js';
import { RepositoryStates } from './repository-states.js';
import { ResumeFilling } from './resume-filling.js';

export const READINESS_PROVIDERS = [RepositoryReadiness, RepositoryStates, ResumeFilling];
