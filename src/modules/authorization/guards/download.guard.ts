import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { holdCheckedSlot } from '../../../platform/http/index.js';
import { DOWNLOADS, FairSlots } from '../../../platform/limits/index.js';

/** The slots for concurrent downloads of a process. */
@Injectable()
export class DownloadSlots extends FairSlots {
  constructor() {
    super(DOWNLOADS);
  }
}

/**
 * Shares the slots for concurrent downloads between users and addresses. For routes that stream; runs after the
 * guards of every route, and has them check again after a wait.
 */
@Injectable()
export class DownloadGuard implements CanActivate {
  constructor(private readonly slots: DownloadSlots) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    await holdCheckedSlot(this.slots, execution.switchToHttp().getResponse<Response>());
    return true;
  }
}
