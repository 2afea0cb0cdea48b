import type { PageNumbers } from '../pages/page.js';

/**
 * What a handler answers when it has the JSON already: it goes out as it is. For answers that are
 * remembered or put together from remembered pieces; everything else is cheaper left to the platform.
 */
export class Serialized {
  /**
   * @param json the whole body
   * @param page of a list, the numbers of the page that the body holds; they become headers
   */
  constructor(
    readonly json: string | Buffer,
    readonly page?: PageNumbers,
  ) {}
}
