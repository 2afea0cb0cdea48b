import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { RoomDiscovery } from '../../../platform/discovery/index.js';
import type { Closing } from '../writes/close-issue.js';

/** Knows what else has a branch's newest commits close issues. */
export interface ClosingCreditSource {
  /** The closings that something other than the commits of the branch is credited with. */
  creditsOf(projectId: number, branch: string): Promise<readonly Closing[]>;
}

/** Marks a provider that is a `ClosingCreditSource`. */
export const ProvidesClosingCredits = DiscoveryService.createDecorator();

/**
 * Finds the issues that are closed by more than the commits that say so: the merge of a merge request brings
 * its commits along, and the issues are closed in its name. Upper rooms provide the sources.
 */
@Injectable()
export class ClosingCredits implements OnModuleInit {
  private sources: readonly ClosingCreditSource[] = [];

  constructor(private readonly discovery: RoomDiscovery) {}

  onModuleInit(): void {
    this.sources = this.discovery.providers(ProvidesClosingCredits);
  }

  /** By the ID of the issue. */
  async of(projectId: number, branch: string): Promise<ReadonlyMap<number, Closing>> {
    const closings = await Promise.all(
      this.sources.map((source) => source.creditsOf(projectId, branch)),
    );
    return new Map(closings.flat().map((closing) => [closing.issueId, closing]));
  }
}
