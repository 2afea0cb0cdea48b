import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { GitBusyError, RepositoryMissingError } from '../../git/index.js';
import { SlotsTakenError } from '../../platform/limits/index.js';
import { missing, slotsTaken, TransportRefusal } from './transport-refusal.js';

const BUSY = new TransportRefusal(503, 'Service Unavailable', { 'Retry-After': '5' });
const FAILED = new TransportRefusal(500, 'Internal Server Error');

/** Answers git clients in plain text; what is no refusal goes to the log only. */
@Catch()
export class TransportFilter implements ExceptionFilter {
  private readonly logger = new Logger(TransportFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (!(error instanceof TransportRefusal) && !(error instanceof SlotsTakenError)) {
      this.logger.error('A git request failed', error);
    }
    // The answer has begun: breaking it off is the only way left to say that it is not whole.
    if (response.headersSent) response.destroy();
    else send(response, refusalFor(error));
  }
}

function refusalFor(error: unknown): TransportRefusal {
  if (error instanceof TransportRefusal) return error;
  if (error instanceof SlotsTakenError) return slotsTaken(error);
  if (error instanceof RepositoryMissingError) return missing();
  return error instanceof GitBusyError ? BUSY : FAILED;
}

function send(response: Response, refusal: TransportRefusal): void {
  response.status(refusal.status).set(refusal.headers).type('text/plain').send(refusal.message);
}
