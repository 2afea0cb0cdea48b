import type { StorageSizes } from '../refusals.js';

/** Words a refusal of `StorageQuota` for users of git, of imports and of the API. */
export function storageLimitText({ limit, used, added }: StorageSizes): string {
  const [has, adds] = [byteCount(used), byteCount(added)];
  return `The project would exceed its size limit of ${byteCount(limit)}: it has ${has}, and ${adds} would be added.`;
}

function byteCount(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} bytes`;
}
