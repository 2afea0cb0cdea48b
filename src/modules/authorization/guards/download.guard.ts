import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { checkedAccess, clientAddress, holdSlot } from '../../../platform/http/index.js';
import { DOWNLOADS, FairSlots } from '../../../platform/limits/index.js';
import { contextOf } from './request-context.js';

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
    const http = execution.switchToHttp();
    const request = http.getRequest<Request>();
    const caller = { address: clientAddress(request), userId: contextOf(request).caller?.id };
    const response = http.getResponse<Response>();
    await holdSlot(this.slots, caller, response, checkedAccess.get(response));
    return true;
  }
}
