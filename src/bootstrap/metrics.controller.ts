import { Controller, Get, Res } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { Requires } from '../modules/authorization/index.js';
import { ApiExcludeController } from '../platform/http/index.js';
import { MetricsReport } from './metrics-report.js';
import { metricsTokenCheck } from './metrics-token.js';

/** Figures for Prometheus and what reads its format; outside the API (docs/operations.md#metrics). */
@Controller()
@ApiExcludeController()
export class MetricsController {
  constructor(private readonly report: MetricsReport) {}

  /** For administrators. */
  @Get('metrics')
  @Requires('metrics:read')
  read(@Res() response: Response): Promise<void> {
    return send(this.report, response);
  }
}

/**
 * Answers requests for metrics whose bearer token is `METRICS_TOKEN`, so that no monitoring system needs an administrator's
 * token. To be called before the application is initialised; all other requests reach the controller.
 */
export function serveMetricsFor(token: string, app: NestExpressApplication): void {
  const hasToken = metricsTokenCheck(token);
  const express = app.getHttpAdapter().getInstance();
  express.get('/metrics', (request, response, next) => {
    if (hasToken(request)) send(app.get(MetricsReport), response).catch(next);
    else next();
  });
}

async function send(report: MetricsReport, response: Response): Promise<void> {
  response.type(report.contentType).send(await report.render());
}
