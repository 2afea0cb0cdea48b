/**
 * The anchor of a heading as code hosts make it, so that a link works in the repository as it does on the site.
 * @param {string} heading
 */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
