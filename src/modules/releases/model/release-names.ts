import type { Release } from '../../repository/index.js';

/** The name of a release: by default that of its tag. */
export const nameOf = ({ name, tag }: Release): string => name ?? tag;

/** The same for readers who may not know tags. Clients often name a release like its tag. */
export const nameForGuests = ({ id, name, tag }: Release): string =>
  name === null || name === tag ? `Release-${String(id)}` : name;
