import { BuildSamples } from './build-samples.js';
import { HookTestsController } from './hook-tests.controller.js';
import { HookTestsService } from './hook-tests.service.js';
import { IssuableSamples } from './issuable-samples.js';
import { NewestThings } from './newest-things.js';
import { SamplePayloads } from './sample-payloads.js';

export const SAMPLE_CONTROLLERS = [HookTestsController];

/** What tries hooks. */
export const SAMPLE_PROVIDERS = [
  BuildSamples,
  HookTestsService,
  IssuableSamples,
  NewestThings,
  SamplePayloads,
];
