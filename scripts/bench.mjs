// Measures the service against plain ways to do the same, side by side in one run (bench/README.md).
import { prepare } from './prepare.mjs';
import { main } from './problem.mjs';

await main(async () => {
  await prepare({ dev: true });
  const { bench } = await import('../bench/bench.mjs');
  await bench(process.argv.slice(2));
});
