import type { Express, RequestHandler, Response } from 'express';
import path from 'node:path';
import { basePathOf } from '../../config/index.js';
import { routeNotFound } from '../../errors/index.js';
import type { ApiFace } from '../face/api-face.js';

/** Files of Swagger UI, which the build copies to `dist/explorer`. */
const SWAGGER_UI = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/**
 * What the page may load and reach: this service's own files and API, nothing else and nothing inline. Swagger UI draws
 * its icons from `data:` addresses.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves Swagger UI for the interface document of a face: people read the API there, and try it against this service with a token.
 * @param packageRoot holds `dist/explorer`
 * @param externalUrl the service's own address, whose path a proxy may have put before the API's
 */
export function serveExplorer(
  express: Express,
  face: ApiFace,
  { packageRoot, externalUrl }: { packageRoot: string; externalUrl: () => string },
): void {
  const root = path.join(packageRoot, 'dist', 'explorer');
  const { explorerPath } = face;
  express.get(explorerPath, (_request, response) => {
    send(response, 'html', page(face, basePathOf(externalUrl())));
  });
  express.get(`${explorerPath}/start.js`, (_request, response) => {
    send(response, 'js', START);
  });
  express.get(`${explorerPath}/page.css`, (_request, response) => {
    send(response, 'css', STYLESHEET);
  });
  const serveFile: RequestHandler<{ file: string }> = ({ params: { file } }, response, next) => {
    if (!SWAGGER_UI.includes(file)) next(routeNotFound());
    else response.sendFile(file, { root, cacheControl: false }, next);
  };
  express.get(`${explorerPath}/:file`, serveFile);
}

function send(response: Response, type: string, body: string): void {
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.type(type).send(body);
}

const page = (
  { prefix, explorerPath, documentPath }: ApiFace,
  base: string,
): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trellis API</title>
    <link rel="icon" href="data:,">
    <meta name="color-scheme" content="light dark">
    <link rel="stylesheet" href="${base}${explorerPath}/swagger-ui.css">
    <link rel="stylesheet" href="${base}${explorerPath}/page.css">
  </head>
  <body>
    <header class="swagger-ui">
      <nav class="wrapper" aria-label="Main">
        <p class="renderedMarkdown"><a class="link" href="${base}/">Trellis</a> · <a class="link" href="${base}/help/reference">API reference</a></p>
      </nav>
    </header>
    <main id="explorer" data-api="${base}${prefix}">
      <noscript>The explorer needs JavaScript. The interface document is ${base}${documentPath}.</noscript>
    </main>
    <script src="${base}${explorerPath}/swagger-ui-bundle.js"></script>
    <script type="module" src="${base}${explorerPath}/start.js"></script>
  </body>
</html>
`;

/** Lets what Swagger UI puts in one line go on in the next, or scroll, where the window is narrow. */
const STYLESHEET = `body { margin: 0; }
.swagger-ui .opblock .opblock-summary-path { overflow-wrap: anywhere; }
@media (max-width: 640px) {
  .swagger-ui .filter .operation-filter-input { width: 100%; }
  .swagger-ui .opblock-tag { display: grid; grid-template-columns: 1fr auto; }
  .swagger-ui .opblock-tag small { grid-area: 2 / 1 / auto / span 2; padding: 0; }
  .swagger-ui .opblock .opblock-summary-control { flex-wrap: wrap; min-width: 0; }
  .swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-section-header .btn { margin-right: 0; }
  .swagger-ui .responses-inner, .swagger-ui .parameters-container { overflow-x: auto; }
}
`;

/** Runs in the browser. */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
const { api } = document.getElementById('explorer').dataset;
const response = await fetch(api + '/openapi.json');
const description = await response.json();
SwaggerUIBundle({
  dom_id: '#explorer',
  // The address that this page has come from; the document knows no proxy.
  spec: { ...description, servers: [{ url: api }] },
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: true,
  requestSnippetsEnabled: true,
  syntaxHighlight: false,
  validatorUrl: null,
});
`;
