import fc from 'fast-check';
import { DomainError } from '../../../src/platform/errors/index.js';
import {
  BooleanParam,
  DateParam,
  EnumParam,
  IdListParam,
  IntegerParam,
  ObjectListParam,
  PageQuery,
  StringListParam,
  StringParam,
  TimestampParam,
  validateParameters,
} from '../../../src/platform/http/index.js';
import { removeHarmful } from '../../../src/platform/http/request/sanitize.js';
import { parseJsonObject } from '../../../src/platform/http/request/body/json.js';
import type { RawParameters } from '../../../src/platform/http/request/request-parameters.js';
import { parseUrlencoded } from '../../../src/platform/http/request/form-fields.js';

class Item {
  @StringParam({ required: true, maxLength: 5 })
  a!: string;
}

class Everything extends PageQuery {
  @IntegerParam({ min: 0 })
  integer?: number;

  @BooleanParam()
  boolean?: boolean;

  @StringParam({ nullable: true })
  string?: string | null;

  @EnumParam(['a', 'b'])
  choice?: string;

  @TimestampParam()
  moment?: Date;

  @DateParam()
  day?: string | null;

  @IdListParam()
  ids?: number[];

  @StringListParam()
  names?: string[];

  @ObjectListParam(Item)
  items?: Item[];
}

const NAMES = ['integer', 'boolean', 'string', 'choice', 'moment', 'day', 'ids', 'names', 'items'];
const OTHERS = ['page', 'per_page', '__proto__', 'constructor', 'toString', 'a', '0', ''];
const name = fc.oneof(fc.constantFrom(...NAMES, ...OTHERS), fc.string({ unit: 'binary' }));
const value = fc.oneof(
  fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text) as unknown),
  fc.constantFrom('', '-1', '1e999', '٣', '2017-02-30', '0000-01-01', 'a,b', '\u0000', 1e308, null),
  fc.string({ unit: 'binary' }),
);
const key = fc
  .tuple(name, fc.array(fc.oneof(fc.constant(''), name), { maxLength: 4 }))
  .map(([first, rest]) => first + rest.map((segment) => `[${segment}]`).join(''));

/** Reads the parameters as a request would; a refusal is fine, anything else thrown is not. */
function read(parameters: RawParameters): void {
  removeHarmful(parameters);
  expect(JSON.stringify(parameters)).not.toContain('\\u0000');
  try {
    const { page, perPage, moment } = validateParameters(Everything, parameters);
    expect(page).toBeGreaterThanOrEqual(1);
    expect(perPage).toBeLessThanOrEqual(100);
    if (moment) expect(moment.toISOString()).toMatch(/^\d{4}-/);
  } catch (failure) {
    if (!(failure instanceof DomainError)) throw failure;
    expect(failure.detail.code).toBe('invalid-parameter');
  }
}

describe('generated input', () => {
  afterEach(() => {
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('as form fields is accepted or refused', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.string({ unit: 'binary' }))), (pairs) => {
        const encoded = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
        read(parseUrlencoded(encoded).parameters);
      }),
    );
  });

  it('as a query string of any characters is accepted or refused', () => {
    const noise = fc.array(fc.constantFrom('&', '=', '[', ']', '%', '+', '%00', '%5B', 'a', 'ids'));
    fc.assert(fc.property(noise, (parts) => read(parseUrlencoded(parts.join('')).parameters)));
  });

  it('as JSON is accepted or refused', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), (entries) => {
        const members = entries.map(
          ([key, child]) => `${JSON.stringify(key)}:${JSON.stringify(child)}`,
        );
        read(parseJsonObject(Buffer.from(`{${members.join()}}`)));
      }),
    );
  });

  it('is returned from form fields unchanged', () => {
    const plain = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => !/[[\]]/.test(text));
    fc.assert(
      fc.property(fc.dictionary(plain, fc.string({ unit: 'grapheme' })), (fields) => {
        const safe = Object.fromEntries(
          Object.entries(fields).filter(([field]) => field !== '__proto__'),
        );
        const text = new URLSearchParams(safe).toString();
        expect({ ...parseUrlencoded(text).parameters }).toEqual(safe);
      }),
    );
  });
});
