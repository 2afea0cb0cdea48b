import type { PageNumbers } from '../../pages/index.js';

/** Headers by name. */
type Headers = Readonly<Record<string, string>>;

/**
 * What a handler answers when it has the JSON already: it goes out as it is. For answers that are
 * remembered or put together from remembered pieces; everything else is cheaper left to the platform.
 */
export class Serialized {
  private shown: { address: string; headers: Headers } | undefined;

  /**
   * @param json the whole body
   * @param page of a list, the numbers of the page that the body holds; they become headers
   */
  constructor(
    readonly json: string | Buffer,
    readonly page?: PageNumbers,
  ) {}

  /** What `make` gives, made only once for the address that was asked last. */
  headersFor(address: string, make: () => Headers): Headers {
    if (this.shown?.address !== address) this.shown = { address, headers: make() };
    return this.shown.headers;
  }
}
