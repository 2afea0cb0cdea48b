import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../paths.mjs';

const FOLDERS = ['src', 'test'];

/**
 * Returns which files of `src` and `test` each of them imports, by paths relative to the root.
 * Types do not count. What a room's index.ts passes on counts as an import of the file that declares it.
 * @returns {Promise<Record<string, string[]>>}
 */
export async function readImports(root = ROOT) {
  const { default: ts } = await import('typescript');
  const files = (await Promise.all(FOLDERS.map((folder) => filesBelow(root, folder)))).flat();
  const modules = new Map(
    await Promise.all(
      files.map(async (file) => {
        const text = await readFile(path.join(root, file), 'utf8');
        return [file, readModule(ts, root, file, text)];
      }),
    ),
  );
  return Object.fromEntries(
    [...modules].map(([file, { imports, passedOn }]) => {
      const all = [...imports, ...passedOn];
      return [file, [...new Set(all.flatMap(({ from, name }) => declaring(modules, from, name)))]];
    }),
  );
}

async function filesBelow(root, folder) {
  const names = await readdir(path.join(root, folder), { recursive: true });
  const sources = names.filter(
    (name) => /\.(tsx?|mjs)$/.test(name) && !name.startsWith('batches/'),
  );
  return sources.map((name) => path.posix.join(folder, name)).sort();
}

/** What a file imports from others of the repository, and what it passes on of them. The name * stands for all. */
function readModule(ts, root, file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const [imports, passedOn] = [[], []];
  const add = (list, specifier, names) => {
    const from = resolve(root, file, specifier);
    if (from !== undefined) list.push(...names.map((name) => ({ from, ...name })));
  };
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      add(imports, node.moduleSpecifier.text, importedNames(ts, node.importClause));
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      if (!node.isTypeOnly) add(passedOn, node.moduleSpecifier.text, exportedNames(node));
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (ts.isStringLiteralLike(specifier)) add(imports, specifier.text, [{ name: '*' }]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { imports, passedOn };
}

function importedNames(ts, clause) {
  if (clause === undefined) return [{ name: '*' }];
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
  const bindings = clause.namedBindings;
  const byDefault = clause.name === undefined ? [] : [{ name: 'default' }];
  if (bindings === undefined) return byDefault;
  if (ts.isNamespaceImport(bindings)) return [...byDefault, { name: '*' }];
  return [...byDefault, ...namesOf(bindings)];
}

function exportedNames({ exportClause }) {
  if (exportClause?.elements === undefined) return [{ name: '*', as: '*' }];
  return namesOf(exportClause).map(({ name, own }) => ({ name, as: own }));
}

const namesOf = ({ elements }) =>
  elements
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ propertyName, name }) => ({ name: (propertyName ?? name).text, own: name.text }));

/** A file of the repository; undefined for a package. */
function resolve(root, file, specifier) {
  if (!specifier.startsWith('.')) return undefined;
  const target = path.posix.join(path.posix.dirname(file), specifier);
  const names = [target.replace(/\.js$/, '.ts'), target.replace(/\.js$/, '.tsx'), target];
  return names.find((name) => existsSync(path.join(root, name)));
}

/** The files that an import of a name loads something of. */
function declaring(modules, file, name) {
  const passedOn = modules.get(file)?.passedOn ?? [];
  const sources = passedOn.filter(({ as }) => name === '*' || as === name);
  if (sources.length === 0) {
    const open = passedOn.filter(({ as }) => as === '*');
    return [file, ...open.flatMap(({ from }) => declaring(modules, from, name))];
  }
  const files = sources.flatMap((source) => declaring(modules, source.from, source.name));
  return name === '*' ? [file, ...files] : files;
}
