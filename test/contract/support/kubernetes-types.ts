import path from 'node:path';
import ts from 'typescript';

export interface Manifest {
  apiVersion: string;
  kind: string;
}

/** `apps/v1` and `v1` as `kubernetes-types` has them. */
const moduleOf = (apiVersion: string): string => {
  const group = apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`;
  return `kubernetes-types/${group.replace(/\.k8s\.io/, '')}.js`;
};

/** Checks manifests as literals of their types: unknown and missing fields, and values of another type. */
export function checkManifests(manifests: readonly Manifest[]): string[] {
  const lines = manifests.map(
    ({ apiVersion, kind, ...rest }, index) =>
      `export const manifest${String(index)}: import('${moduleOf(apiVersion)}').${kind} = ${JSON.stringify({ apiVersion, kind, ...rest })};`,
  );
  // A file that does not exist, beside the packages that it imports.
  const file = path.resolve('manifests.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    types: [],
    skipLibCheck: true,
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, target, ...rest) =>
    name === file
      ? ts.createSourceFile(file, lines.join('\n'), target)
      : getSourceFile.call(host, name, target, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map((problem) => {
    const line = problem.file?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? 0;
    const { kind = '' } = manifests[line] ?? {};
    return `${kind}: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`;
  });
}
