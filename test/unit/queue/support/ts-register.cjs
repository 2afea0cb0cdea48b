// Lets a child process of a test run TypeScript as Jest does: compiled to CommonJS on the fly.
const { existsSync } = require('node:fs');
const Module = require('node:module');
const { dirname, resolve } = require('node:path');
const { transformFileSync } = require('@swc/core');

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  if (request.startsWith('.') && request.endsWith('.js') && parent?.filename?.endsWith('.ts')) {
    const source = resolve(dirname(parent.filename), request.replace(/\.js$/, '.ts'));
    if (existsSync(source)) return source;
  }
  return resolveFilename.call(this, request, parent, ...rest);
};

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformFileSync(filename, {
    swcrc: false,
    module: { type: 'commonjs' },
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true },
      keepClassNames: true,
      transform: {
        legacyDecorator: true,
        decoratorMetadata: true,
        useDefineForClassFields: false,
      },
    },
  });
  module._compile(code, filename);
};
