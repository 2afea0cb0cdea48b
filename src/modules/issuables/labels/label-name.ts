import striptags from 'striptags';

const MAX_LENGTH = 255;

/** A name as labels carry it: without HTML tags and outer white space (docs/reference/labels.md#names). */
export const labelNameOf = (text: string): string => striptags(text).trim();

/** Whether a label may be called so; lists of labels are separated by commas. */
export const isLabelName = (name: string): boolean =>
  name !== '' && [...name].length <= MAX_LENGTH && !name.includes(',');
