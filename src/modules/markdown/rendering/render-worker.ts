import { parentPort } from 'node:worker_threads';
import { renderMarkdown } from './render-markdown.js';
import type { RenderContext, RenderedText, RenderJob, RenderMessage } from './rendered-text.js';

// The program of a thread that renders texts: `RenderThread` starts it, and ends it when it takes too long.
const port = parentPort;
const answer = (message: RenderMessage): void => port?.postMessage(message);

port?.on('message', ({ texts, context }: RenderJob) => {
  for (const text of texts) answer({ rendered: tryToRender(text, context) });
});
answer('ready');

/** Null where a stack or a string would become too large. */
function tryToRender(text: string, context: RenderContext): RenderedText | null {
  try {
    return renderMarkdown(text, context);
  } catch {
    return null;
  }
}
