import { AttachedValue } from '../../../platform/async/index.js';
import type { User } from '../../users/index.js';

/** Who reads a page. */
export interface PageContext {
  /** Null is anonymous. */
  readonly viewer: User | null;
  /** The token that forms of the page send along. */
  readonly csrfToken: () => string;
}

const contexts = new AttachedValue<PageContext>();

export function setPageContext(request: object, context: PageContext): void {
  contexts.set(request, context);
}

/** Undefined for requests that have not passed the guard of pages. */
export function pageContextOf(request: object): PageContext | undefined {
  return contexts.get(request);
}
