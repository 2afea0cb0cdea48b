import type { FirstPage, PageRequest } from '../../pagination/index.js';
import { type Converted, type Converter, toClampedInteger } from './conversions.js';
import { parameter } from './declare.js';

const DEFAULT_PER_PAGE = 20;
const MAX_PER_PAGE = 100;

const toPerPage: Converter<number> = (raw) =>
  whereInteger(raw, (size) => (size <= 0 ? DEFAULT_PER_PAGE : Math.min(size, MAX_PER_PAGE)));

/** The number of a page; smaller ones count as the first. */
export function PageNumberParam(first: FirstPage, description: string): PropertyDecorator {
  const convert: Converter<number> = (raw) => whereInteger(raw, (page) => Math.max(page, first));
  return parameter({ description, default: first }, convert, { type: 'integer', minimum: first });
}

/** The parameters of every list; lists with filters extend it. */
export class PageQuery implements PageRequest {
  @PageNumberParam(1, 'Number of the page, from 1.')
  page: number = 1;

  @parameter(
    { name: 'per_page', description: 'Items per page.', default: DEFAULT_PER_PAGE },
    toPerPage,
    { type: 'integer', minimum: 1, maximum: MAX_PER_PAGE },
  )
  perPage: number = DEFAULT_PER_PAGE;
}

function whereInteger(raw: unknown, limit: (value: number) => number): Converted<number> {
  const value = toClampedInteger(raw);
  return typeof value === 'number' ? limit(value) : value;
}
