import { isRecord } from './conversions.js';

/**
 * Raw parameters as class-transformer sees them: without any property. It would copy nested values before `@Transform`
 * is called, to any depth and into instances of what their `constructor` is; so each parameter takes its value from
 * here. Only own properties of the raw object are looked at, and nothing in it is called or instantiated.
 */
export class RawSource {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #position: string | undefined;

  /** @param position the position of `raw` in a list of objects, for error texts (`actions[0]`) */
  constructor(raw: unknown, position: string | undefined) {
    this.#values = isRecord(raw) ? raw : {};
    this.#position = position;
  }

  /** The value under the first of these names that there is. */
  rawValue(names: readonly string[]): unknown {
    const name = names.find((each) => Object.hasOwn(this.#values, each));
    return name === undefined ? undefined : this.#values[name];
  }

  /** The name of a parameter as a client spells it. */
  spelled(name: string): string {
    return this.#position === undefined ? name : `${this.#position}[${name}]`;
  }
}
