require('./ts-register.cjs'); require('./zz.ts').main();
