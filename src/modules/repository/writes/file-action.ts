/** One change of a file (`actions[]` of docs/reference/commits.md#post-projectsidrepositorycommits). */
export interface FileAction {
  /** `create`, `update`, `delete` or `move`; others are refused when it is their turn. */
  action: string;
  path: string | undefined;
  previousPath: string | undefined;
  content: string | undefined;
  encoding: ContentEncoding;
}

export type ContentEncoding = 'text' | 'base64';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes a client means; null when they cannot be read. Line breaks in base64 are passed over. */
export function decodeContent(content: string, encoding: ContentEncoding): Buffer | null {
  if (encoding === 'text') return Buffer.from(content);
  const digits = content.replace(/\s+/g, '');
  return BASE64.test(digits) && digits.length % 4 === 0 ? Buffer.from(digits, 'base64') : null;
}
