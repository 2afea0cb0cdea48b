import type { Request, Response } from 'express';
import { Page } from '../pages/page.js';
import { pageHeaders } from '../pages/page-headers.js';
import type { AnswerPlan } from './answer-plan.js';
import { sendJson } from './send-json.js';
import { Serialized } from './serialized.js';

/** Answers what a handler of the API returned: status, headers and body, in one piece. */
export function sendAnswer(response: Response, result: unknown, plan: AnswerPlan): void {
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
    sendJson(response, JSON.stringify(result.items));
  } else if ((result === undefined || result === null) && plan.emptyWhenAbsent) {
    response.setHeader('Content-Length', 0);
    response.end();
  } else {
    sendJson(response, JSON.stringify(result ?? null));
  }
}

function setHeaders(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
