import { DiscoveryService } from '@nestjs/core';
import type { Closing } from '../issues.service.js';

/**
 * Knows what else closes the issues that the newest commits of a branch close. A merge brings commits to the branch,
 * and their issues are closed by the merge request instead.
 */
export interface ClosingCreditSource {
  /** Returns the closings that are credited to something other than a commit of the branch. */
  creditsOf(projectId: number, branch: string): Promise<readonly Closing[]>;
}

/** Marks a provider that is a `ClosingCreditSource`. */
export const ProvidesClosingCredits = DiscoveryService.createDecorator();
