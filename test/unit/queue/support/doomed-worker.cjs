// A worker that takes a job, says so in the database, and never ends it: made to be killed.
require('./ts-register.cjs');
require('./doomed-worker.ts').main();
