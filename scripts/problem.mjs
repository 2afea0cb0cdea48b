// What keeps a script from going on, worded for the person at the terminal.
export class Problem extends Error {}

/** Runs a script's main function; a Problem is told without a stack and ends the process with 1. */
export async function main(work) {
  try {
    await work();
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    process.exitCode = 1;
  }
}

export const say = (message) => process.stderr.write(`trellis: ${message}\n`);
