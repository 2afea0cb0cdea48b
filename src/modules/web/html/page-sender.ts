import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { h, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { basePathOf, Config } from '../../../platform/config/index.js';
import { Layout } from './layout.js';
import { pageContextOf } from './page-context.js';

/** A page without its frame. */
export interface WebPage {
  /** Of the browser's window; the page's own heading is part of its content. */
  readonly title: string;
  readonly content: VNode;
}

/** What pages may load and reach: their stylesheet, and forms of this service. They run no scripts. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Renders pages and sends them. */
@Injectable()
export class PageSender {
  constructor(private readonly config: Config) {}

  /** To be put before every path of this service; without a slash at the end. */
  get base(): string {
    return basePathOf(this.config.http.externalUrl);
  }

  /** Sends a page with the status that the response has. */
  send(response: Response, { title, content }: WebPage): void {
    const { req: request } = response;
    const context = pageContextOf(request);
    const address = this.config.http.externalUrl;
    const layout = { title, address, base: this.base, context, path: request.originalUrl };
    // Before the headers are set: a form may add a cookie.
    const html = renderToString(h(Layout, { ...layout, children: content }));
    response.set({
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'X-Content-Type-Options': 'nosniff',
      // Browsers send no `Origin` with forms of pages that allow no referrer at all.
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'private, no-store',
      Vary: 'Accept, Cookie',
    });
    response.type('html').send(`<!doctype html>${html}`);
  }

  /** Redirects a browser, after a form or to another page. @param path of this service */
  redirect(response: Response, path: string): void {
    response.set('Cache-Control', 'private, no-store').redirect(303, this.base + path);
  }
}
