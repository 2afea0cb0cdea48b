import { readFile, writeFile } from 'node:fs/promises';
import { inRoot } from './paths.mjs';
import { Problem } from './problem.mjs';

/**
 * Writes a file that is generated, or compares it, when the script was called with `--check`.
 * @param {string} file relative to the root
 * @param {string} text its whole content
 * @param {{ of: string, by: string }} source what the content is generated from, and the command that generates it
 * @throws Problem if the file is to be compared and differs
 */
export async function keepGenerated(file, text, { of, by }) {
  if (!process.argv.includes('--check')) {
    await writeFile(inRoot(file), text);
    console.log(`${file} written.`);
  } else if ((await readFile(inRoot(file), 'utf8').catch(() => '')) !== text) {
    throw new Problem(`${file} does not match ${of}: run \`${by}\` and commit it.`);
  }
}

/**
 * Formats a page as `prettier` does.
 * @param {string} file relative to the root
 * @param {readonly string[]} blocks paragraphs, headings, tables and so on
 */
export async function formatPage(file, blocks) {
  // Packages may be installed only now.
  const { format, resolveConfig } = await import('prettier');
  const options = await resolveConfig(inRoot(file));
  return await format(blocks.join('\n\n'), { ...options, parser: 'markdown' });
}
