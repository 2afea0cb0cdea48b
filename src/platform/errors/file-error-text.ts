const TEXTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'the service may not read or write its files',
  EPERM: 'the service may not read or write its files',
};

/** Returns what an operator has to mend, by the error code of a file system; undefined for other codes. */
export const fileErrorText = (code: unknown): string | undefined =>
  typeof code === 'string' ? TEXTS[code] : undefined;
