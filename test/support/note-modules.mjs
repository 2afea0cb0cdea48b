// Preloaded by Node's --import: writes the addresses of all modules that a process loads, and its processor time, to the files
// that NOTED_MODULES and NOTED_CPU name.
import { writeFileSync } from 'node:fs';
import { register } from 'node:module';

const HOOK = `
import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(process.env.NOTED_MODULES)}, url + '\\n');
  return next(url, context);
}`;

register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.NOTED_CPU, String((user + system) / 1_000));
});
