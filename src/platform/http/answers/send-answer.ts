import type { Request, Response } from 'express';
import { Page } from '../../pages/index.js';
import { pageHeaders } from './page-headers.js';
import type { AnswerPlan } from './answer-plan.js';
import type { FairSlots } from '../../limits/index.js';
import { sendJson } from './send-json.js';
import { sendPage } from './send-page.js';
import { Serialized } from './serialized.js';

/**
 * Answers what a handler of the API returned: status, headers and body, in one piece except for long lists.
 * @param longLists the slots of these
 * @throws SlotsTakenError, ClientDisconnectedError (the promise)
 */
export function sendAnswer(
  response: Response,
  result: unknown,
  plan: AnswerPlan,
  longLists: FairSlots,
): Promise<void> | undefined {
  response.statusCode = plan.status;
  if (plan.status === 204) {
    response.end();
  } else if (result instanceof Serialized) {
    const { page } = result;
    if (page !== undefined) {
      const { url } = response.req as Request;
      setHeaders(
        response,
        result.headersFor(url, () => pageHeaders(page, plan.externalUrl(), url)),
      );
    }
    sendJson(response, result.json);
  } else if (result instanceof Page) {
    const { url } = response.req as Request;
    setHeaders(response, pageHeaders(result, plan.externalUrl(), url));
    return sendPage(response, result, longLists);
  } else if ((result === undefined || result === null) && plan.emptyWhenAbsent) {
    response.setHeader('Content-Length', 0);
    response.end();
  } else {
    sendJson(response, JSON.stringify(result ?? null));
  }
  return undefined;
}

function setHeaders(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
