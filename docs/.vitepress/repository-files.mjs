import { cpSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Pages link to files that are no pages, such as examples of configuration. The site has them as plain text in the folder
 * `files`, so that it works without the repository.
 */
export class RepositoryFiles {
  #linked = new Set();

  /** @param {string} root the folder of package.json */
  constructor(root) {
    this.root = root;
  }

  /**
   * The address on the site of a file that a page links to.
   * @param {string} page relative to the root
   * @param {string} target as the link has it
   */
  addressOf(page, target) {
    const file = path.posix.join(path.posix.dirname(page), target);
    if (!statSync(path.join(this.root, file), { throwIfNoEntry: false })?.isFile()) {
      throw new Error(`${page} links to ${target}, which is no file of this repository`);
    }
    this.#linked.add(file);
    return `/files/${file}.txt`;
  }

  /** @param {string} outDir */
  copyTo(outDir) {
    for (const file of this.#linked) {
      const copy = path.join(outDir, 'files', `${file}.txt`);
      mkdirSync(path.dirname(copy), { recursive: true });
      cpSync(path.join(this.root, file), copy);
    }
  }
}
