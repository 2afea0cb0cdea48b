import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '../..');

/** Returns the names of the types, classes and enumerations that a file declares and exports. */
function exportedNames(path: string): Set<string> {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const names = source.statements
    .filter(
      (statement) =>
        ts.isClassDeclaration(statement) ||
        ts.isInterfaceDeclaration(statement) ||
        ts.isTypeAliasDeclaration(statement) ||
        ts.isEnumDeclaration(statement),
    )
    .filter(({ modifiers = [] }) =>
      modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword),
    )
    .map(({ name }) => name?.text ?? '');
  return new Set(names);
}

describe('exported types and classes', () => {
  it('have names of their own, so that a reader finds one', () => {
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(ROOT, 'src', name));
    const filesByName = new Map<string, string[]>();
    for (const file of files) {
      for (const name of exportedNames(file)) {
        filesByName.set(name, [...(filesByName.get(name) ?? []), relative(ROOT, file)]);
      }
    }
    expect(filesByName.get('Issue')).toEqual(['src/modules/issues/model/issue.entity.ts']);
    expect([...filesByName].filter(([, places]) => places.length > 1)).toEqual([]);
  });
});
