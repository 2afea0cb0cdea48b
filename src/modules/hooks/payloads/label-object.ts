import type { Label } from '../../issuables/index.js';

/** A label as payloads tell it (open points 7.4). */
export const labelObject = ({ id, name, color, description }: Label): object => ({
  id,
  title: name,
  color,
  description,
});
